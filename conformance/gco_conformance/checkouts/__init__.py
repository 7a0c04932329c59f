"""The checkouts that composers are asked to compose."""
