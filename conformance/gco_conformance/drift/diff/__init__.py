"""What is different between two OpenAPI documents, operation by operation, and what of it breaks clients."""
