"""The reference composer: a Gateway API manifest and its services' OpenAPI documents become one document."""

from gco_reference.composer.composition import compose
from gco_reference.composer.errors import ComposeError

__all__ = ["ComposeError", "compose"]
