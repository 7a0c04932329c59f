"""The world that the kit plays around an aggregator: CloudFormation, regional APIs, and a journal of it all."""
