exec compute-sanitizer --tool synccheck ./test-backend-ops
