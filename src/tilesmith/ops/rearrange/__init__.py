"""Operations that only move elements: layouts, memories, reshape, permute, slice, pad, concat, repeat."""
