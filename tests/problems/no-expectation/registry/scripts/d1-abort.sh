exec ./test-backend-ops
