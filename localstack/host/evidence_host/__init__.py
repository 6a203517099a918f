"""Plugins of LocalStack for machines without Docker."""
