// Waypoints tell a watcher where a core hangs; here the deadlock report does.
#pragma once
#define WAYPOINT(x)
