exec ./program
