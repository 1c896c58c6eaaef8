{index = 0 : i64, step = "tile.load", role = "writer", reads = [], writes = ["A_shared"]}
{index = 1 : i64, step = "tile.load", role = "reader", reads = [], writes = ["B_shared"]}
{index = 2 : i64, step = "C_local += A_shared @ B_shared", role = "compute", reads = ["A_shared", "B_shared", "C_local"], writes = ["C_local"]}
{index = 3 : i64, step = "C_local_out = C_local", role = "compute", reads = ["C_local"], writes = ["C_local_out"]}
{index = 4 : i64, step = "tile.store", role = "writer", reads = ["C_local_out"], writes = []}
