// A pause waits for a person at the watcher; there is none here.
#pragma once
#define PAUSE()
