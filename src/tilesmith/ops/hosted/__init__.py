"""Operations that have no kernel here yet: each is computed on the host, and profiles say so."""
