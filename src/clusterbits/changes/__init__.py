"""What changed between clusterings without truth: `diff` of two, `consensus` of many."""

from clusterbits.changes.consensus import Consensus, consensus

__all__ = ["Consensus", "consensus"]
