// Profiler zones: named spans on the timeline of the role that runs them.
#pragma once
#include "ts/prologue.h"

namespace ts {
class Zone {
public:
    explicit Zone(const char* name, TS_AT) : at_(at) { ts_zone_begin(name, at); }
    ~Zone() { ts_zone_end(at_); }
    Zone(const Zone&) = delete;
    Zone& operator=(const Zone&) = delete;

private:
    At at_;
};
}  // namespace ts

#define TS_JOIN2(a, b) a##b
#define TS_JOIN(a, b) TS_JOIN2(a, b)
#define DeviceZoneScopedN(name) ::ts::Zone TS_JOIN(ts_zone_, __COUNTER__)(name)
#define DeviceZoneScopedMainN(name) DeviceZoneScopedN(name)
#define DeviceZoneScopedMainChildN(name) DeviceZoneScopedN(name)
#define DeviceZoneScopedSumN1(name) DeviceZoneScopedN(name)
#define DeviceZoneScopedSumN2(name) DeviceZoneScopedN(name)
#define DeviceZoneScopedND(name, ...) DeviceZoneScopedN(name)
#define DeviceZoneScopedMainN(name) DeviceZoneScopedN(name)
#define DeviceZoneSetCounter(counter) static_cast<void>(counter)
#define DeviceTimestampedData(name, data) static_cast<void>(data)
#define DeviceRecordEvent(event_id) static_cast<void>(event_id)
#define DeviceValidateProfiler(condition) static_cast<void>(condition)
#define RECORD_NOC_EVENT_WITH_ADDR(...)
#define RECORD_NOC_EVENT_WITH_ID(...)
#define RECORD_NOC_EVENT(...)
