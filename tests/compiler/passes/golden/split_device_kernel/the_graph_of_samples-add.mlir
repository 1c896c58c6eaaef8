{index = 0 : i64, step = "tile.load", role = "reader", reads = [], writes = ["A_shared"]}
{index = 1 : i64, step = "tile.load", role = "reader", reads = [], writes = ["B_shared"]}
{index = 2 : i64, step = "C_local[i, j] = A_shared[i, j] + B_shared[i, j]", role = "compute", reads = ["A_shared", "B_shared"], writes = ["C_local"]}
{index = 3 : i64, step = "tile.store", role = "writer", reads = ["C_local"], writes = []}
