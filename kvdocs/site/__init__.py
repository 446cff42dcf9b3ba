"""The site: everything that goes into its folder, the settings of the engine, and the engine as a child process."""
