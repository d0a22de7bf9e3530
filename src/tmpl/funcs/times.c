/* SPDX-License-Identifier: Apache-2.0 */
/*
 * times.c - what templates see of times and time zones: how they print and their methods.
 *
 * Methods whose results a template cannot take (Date, Clock, Zone) are listed too, because Go says
 * so when they are called.
 */
#include "tmpl/funcs/times.h"

#include "base/clock.h"
#include "tmpl/funcs/common.h"
#include "tmpl/funcs/objects.h"

#define YEAR_1_TO_1970 62135596800

struct tv tv_time(struct rt *rt, struct gotime t)
{
    struct gotime *object = ARENA_NEW(rt->arena, struct gotime);

    *object = t;
    return tv_object(TV_TIME, object);
}

const struct zone *local_zone(struct rt *rt)
{
    if (rt->zone_known)
        return rt->zone;
    rt->zone_known = true;
    if (!rt->zone_name.len)
        rt->zone = zone_local(rt->arena);
    else if (!zone_find(rt->arena, rt->zone_name, &rt->zone, NULL))
        rt->zone = NULL;
    return rt->zone;
}

/* UTC has no struct zone, but its *time.Location is not nil. */
static const char utc_location[] = "UTC";

static struct tv location_of(const struct zone *z)
{
    return tv_object(TV_LOCATION, z ? (const void *)z : utc_location);
}

static const struct zone *zone_of(struct tv location)
{
    return location.object == utc_location ? NULL : location.object;
}

/* ---- Printing ----------------------------------------------------------------------------------
 */

void time_string(struct rt *rt, struct tv v, struct buf *out)
{
    (void)rt;
    gotime_string(out, time_of(v));
}

void time_go_string(struct rt *rt, struct tv v, struct buf *out)
{
    gotime_go_string(out, time_of(v), local_zone(rt));
}

/* RFC 3339 has four digits for the year and two for the hours of an offset. */
static bool marshal(struct gotime t, struct buf *out, const char *method, struct err *e)
{
    struct gotime_fields f = gotime_fields(t);

    if (f.year < 0 || f.year > 9999)
        return err_set(e, ERR_INVALID, "Time.%s: year outside of range [0,9999]", method);
    if (f.zone_offset >= 24 * 3600 || f.zone_offset <= -24 * 3600)
        return err_set(e, ERR_INVALID, "Time.%s: timezone hour outside of range [0,23]", method);
    gotime_format(out, t, STR(GOTIME_RFC3339_NANO));
    return true;
}

bool time_text(struct rt *rt, struct tv v, struct buf *out, struct err *e)
{
    (void)rt;
    return marshal(time_of(v), out, "MarshalJSON", e);
}

/* Go compares the fields of the struct: the same moment in another zone is another value. */
bool time_equal(const void *x, const void *y, bool deep)
{
    const struct gotime *a = x, *b = y;
    bool same_zone = a->zone == b->zone;

    if (!same_zone && (deep || (zone_is_hours(a->zone) && zone_is_hours(b->zone))))
        same_zone = zone_equal(a->zone, b->zone);
    return a->sec == b->sec && a->nsec == b->nsec && same_zone && a->has_mono == b->has_mono &&
           a->mono == b->mono;
}

void location_string(struct rt *rt, struct tv v, struct buf *out)
{
    (void)rt;
    buf_add(out, zone_name(zone_of(v)));
}

/* What fmt sees of a time for verbs that do not call String: Go's private fields. */
static struct tv field_wall(const void *object)
{
    return (struct tv){.type = TV_UINT64, .u = (uint64_t)((const struct gotime *)object)->nsec};
}

static struct tv field_ext(const void *object)
{
    uint64_t sec = (uint64_t)((const struct gotime *)object)->sec;

    return tv_int64((int64_t)(sec + YEAR_1_TO_1970));
}

static struct tv field_loc(const void *object)
{
    return tv_object(TV_LOCATION, ((const struct gotime *)object)->zone);
}

const struct tv_field time_fields[] = {
    {"wall", field_wall},
    {"ext", field_ext},
    {"loc", field_loc},
    {0},
};

static struct tv field_name(const void *object)
{
    return tv_str(zone_name(zone_of(tv_object(TV_LOCATION, object))));
}

/* Go's internal state of a zone is not visible from outside; UTC has none. */
static struct tv field_list(const void *object)
{
    (void)object;
    return tv_object(TV_LIST, NULL);
}

static struct tv field_text(const void *object)
{
    (void)object;
    return tv_str(STR_NONE);
}

static struct tv field_number(const void *object)
{
    (void)object;
    return tv_int64(0);
}

static struct tv field_pointer(const void *object)
{
    (void)object;
    return tv_object(TV_LOCATION, NULL);
}

const struct tv_field location_fields[] = {
    {"name", field_name},         {"zone", field_list},
    {"tx", field_list},           {"extend", field_text},
    {"cacheStart", field_number}, {"cacheEnd", field_number},
    {"cacheZone", field_pointer}, {0},
};

/* ---- Methods of times --------------------------------------------------------------------------
 */

static struct gotime self(const struct tmpl_call *c)
{
    return time_of(c->self);
}

static struct gotime_fields fields(const struct tmpl_call *c)
{
    return gotime_fields(self(c));
}

/* The bytes of an argument of type []uint8, to append to. */
static struct buf bytes_buf(struct tmpl_call *c, struct tv bytes)
{
    struct buf b = call_buf(c);

    for (size_t i = 0; i < tv_len(c->rt, bytes); i++)
        buf_char(&b, (char)tv_at(c->rt, bytes, i).u);
    return b;
}

static bool return_err(struct tmpl_call *c, const struct err *e)
{
    return call_fail_str(c, str_copy(c->arena, e->text));
}

static bool time_add(struct tmpl_call *c)
{
    return return_time(c, gotime_add(self(c), arg_int(c, 0)));
}

static bool time_add_date(struct tmpl_call *c)
{
    return return_time(c, gotime_add_date(self(c), arg_int(c, 0), arg_int(c, 1), arg_int(c, 2)));
}

static bool time_after(struct tmpl_call *c)
{
    return return_bool(c, gotime_compare(self(c), time_of(arg_tv(c, 0))) > 0);
}

static bool time_before(struct tmpl_call *c)
{
    return return_bool(c, gotime_compare(self(c), time_of(arg_tv(c, 0))) < 0);
}

static bool time_compare(struct tmpl_call *c)
{
    return return_int(c, gotime_compare(self(c), time_of(arg_tv(c, 0))));
}

static bool time_same(struct tmpl_call *c)
{
    return return_bool(c, gotime_compare(self(c), time_of(arg_tv(c, 0))) == 0);
}

static bool time_day(struct tmpl_call *c)
{
    return return_int(c, fields(c).day);
}

static bool time_format(struct tmpl_call *c)
{
    struct buf b = call_buf(c);

    if (!pay_for_layout(c, arg_str(c, 0)))
        return false;
    gotime_format(&b, self(c), arg_str(c, 0));
    return return_call_buf(c, &b);
}

static bool time_append_format(struct tmpl_call *c)
{
    struct buf b = bytes_buf(c, arg_tv(c, 0));

    if (!pay_for_layout(c, arg_str(c, 1)))
        return false;
    gotime_format(&b, self(c), arg_str(c, 1));
    return return_bytes(c, buf_str(&b));
}

static bool time_to_go_string(struct tmpl_call *c)
{
    struct buf b = call_buf(c);

    time_go_string(c->rt, c->self, &b);
    return return_call_buf(c, &b);
}

static bool time_hour(struct tmpl_call *c)
{
    return return_int(c, fields(c).hour);
}

static bool time_in(struct tmpl_call *c)
{
    if (tv_is_nil(arg_tv(c, 0)))
        return call_fail(c, "time: missing Location in call to Time.In");
    return return_time(c, gotime_in(self(c), zone_of(arg_tv(c, 0))));
}

static bool time_is_dst(struct tmpl_call *c)
{
    return return_bool(c, gotime_is_dst(self(c)));
}

static bool time_is_zero(struct tmpl_call *c)
{
    return return_bool(c, gotime_is_zero(self(c)));
}

static bool time_local(struct tmpl_call *c)
{
    return return_time(c, gotime_in(self(c), local_zone(c->rt)));
}

static bool time_location(struct tmpl_call *c)
{
    return return_tv(c, location_of(self(c).zone));
}

/* Version, seconds, nanoseconds, minutes east of UTC; -1 is UTC itself. */
static bool return_binary(struct tmpl_call *c, struct buf *out, const char *method)
{
    struct gotime t = self(c);
    int32_t offset = t.zone ? gotime_fields(t).zone_offset : -60;
    uint64_t sec = (uint64_t)t.sec + YEAR_1_TO_1970;
    int minutes = offset / 60, seconds = offset % 60;

    if (minutes < INT16_MIN || minutes > INT16_MAX || (minutes == -1 && t.zone))
        return call_fail(c, "Time.%s: unexpected zone offset", method);
    buf_char(out, (char)(seconds ? 2 : 1));
    for (int shift = 56; shift >= 0; shift -= 8)
        buf_char(out, (char)(sec >> shift));
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_char(out, (char)((uint32_t)t.nsec >> shift));
    buf_char(out, (char)(minutes >> 8));
    buf_char(out, (char)minutes);
    if (seconds)
        buf_char(out, (char)seconds);
    return return_bytes(c, buf_str(out));
}

static bool time_marshal_binary(struct tmpl_call *c)
{
    struct buf b = call_buf(c);

    return return_binary(c, &b, "MarshalBinary");
}

static bool time_append_binary(struct tmpl_call *c)
{
    struct buf b = bytes_buf(c, arg_tv(c, 0));

    return return_binary(c, &b, "AppendBinary");
}

static bool time_marshal_json(struct tmpl_call *c)
{
    struct buf b = call_buf(c);
    AUTO_ERR e = {0};

    buf_char(&b, '"');
    if (!marshal(self(c), &b, "MarshalJSON", &e))
        return return_err(c, &e);
    buf_char(&b, '"');
    return return_bytes(c, buf_str(&b));
}

static bool time_marshal_text(struct tmpl_call *c)
{
    struct buf b = call_buf(c);
    AUTO_ERR e = {0};

    return marshal(self(c), &b, "MarshalText", &e) ? return_bytes(c, buf_str(&b))
                                                   : return_err(c, &e);
}

static bool time_append_text(struct tmpl_call *c)
{
    struct buf b = bytes_buf(c, arg_tv(c, 0));
    AUTO_ERR e = {0};

    return marshal(self(c), &b, "AppendText", &e) ? return_bytes(c, buf_str(&b))
                                                  : return_err(c, &e);
}

static bool time_minute(struct tmpl_call *c)
{
    return return_int(c, fields(c).minute);
}

static bool time_month(struct tmpl_call *c)
{
    return return_type(c, TV_MONTH, fields(c).month);
}

static bool time_nanosecond(struct tmpl_call *c)
{
    return return_int(c, self(c).nsec);
}

static bool time_round(struct tmpl_call *c)
{
    return return_time(c, gotime_round(self(c), arg_int(c, 0)));
}

static bool time_second(struct tmpl_call *c)
{
    return return_int(c, fields(c).second);
}

static bool time_to_string(struct tmpl_call *c)
{
    struct buf b = call_buf(c);

    gotime_string(&b, self(c));
    return return_call_buf(c, &b);
}

static bool time_sub(struct tmpl_call *c)
{
    return return_type(c, TV_DURATION, gotime_sub(self(c), time_of(arg_tv(c, 0))));
}

static bool time_truncate(struct tmpl_call *c)
{
    return return_time(c, gotime_truncate(self(c), arg_int(c, 0)));
}

static bool time_utc(struct tmpl_call *c)
{
    return return_time(c, gotime_in(self(c), NULL));
}

static bool time_unix(struct tmpl_call *c)
{
    return return_int(c, self(c).sec);
}

/* Since 1970 in units of which a second has so many; wraps. */
static bool return_since(struct tmpl_call *c, int64_t per_second)
{
    struct gotime t = self(c);

    return return_int(c, (int64_t)((uint64_t)t.sec * (uint64_t)per_second +
                                   (uint64_t)(t.nsec / (NS_PER_SEC / per_second))));
}

static bool time_unix_milli(struct tmpl_call *c)
{
    return return_since(c, 1000);
}

static bool time_unix_micro(struct tmpl_call *c)
{
    return return_since(c, 1000000);
}

static bool time_unix_nano(struct tmpl_call *c)
{
    return return_since(c, NS_PER_SEC);
}

static bool time_weekday(struct tmpl_call *c)
{
    return return_type(c, TV_WEEKDAY, fields(c).weekday);
}

static bool time_year(struct tmpl_call *c)
{
    return return_int(c, fields(c).year);
}

static bool time_yearday(struct tmpl_call *c)
{
    return return_int(c, fields(c).yearday);
}

/* Listed for its signature, which call.c rejects. */
static bool never_called(struct tmpl_call *c)
{
    return call_fail(c, "not for templates");
}

const struct tmpl_func time_methods[] = {
    METHOD("Add", "func(time.Duration) time.Time", time_add),
    METHOD("AddDate", "func(int, int, int) time.Time", time_add_date),
    METHOD("After", "func(time.Time) bool", time_after),
    METHOD("AppendBinary", "func([]uint8) ([]uint8, error)", time_append_binary),
    METHOD("AppendFormat", "func([]uint8, string) []uint8", time_append_format),
    METHOD("AppendText", "func([]uint8) ([]uint8, error)", time_append_text),
    METHOD("Before", "func(time.Time) bool", time_before),
    METHOD("Clock", "func() (int, int, int)", never_called),
    METHOD("Compare", "func(time.Time) int", time_compare),
    METHOD("Date", "func() (int, time.Month, int)", never_called),
    METHOD("Day", "func() int", time_day),
    METHOD("Equal", "func(time.Time) bool", time_same),
    METHOD("Format", "func(string) string", time_format),
    METHOD("GoString", "func() string", time_to_go_string),
    METHOD("GobEncode", "func() ([]uint8, error)", time_marshal_binary),
    METHOD("Hour", "func() int", time_hour),
    METHOD("ISOWeek", "func() (int, int)", never_called),
    METHOD("In", "func(*time.Location) time.Time", time_in),
    METHOD("IsDST", "func() bool", time_is_dst),
    METHOD("IsZero", "func() bool", time_is_zero),
    METHOD("Local", "func() time.Time", time_local),
    METHOD("Location", "func() *time.Location", time_location),
    METHOD("MarshalBinary", "func() ([]uint8, error)", time_marshal_binary),
    METHOD("MarshalJSON", "func() ([]uint8, error)", time_marshal_json),
    METHOD("MarshalText", "func() ([]uint8, error)", time_marshal_text),
    METHOD("Minute", "func() int", time_minute),
    METHOD("Month", "func() time.Month", time_month),
    METHOD("Nanosecond", "func() int", time_nanosecond),
    METHOD("Round", "func(time.Duration) time.Time", time_round),
    METHOD("Second", "func() int", time_second),
    METHOD("String", "func() string", time_to_string),
    METHOD("Sub", "func(time.Time) time.Duration", time_sub),
    METHOD("Truncate", "func(time.Duration) time.Time", time_truncate),
    METHOD("UTC", "func() time.Time", time_utc),
    METHOD("Unix", "func() int64", time_unix),
    METHOD("UnixMicro", "func() int64", time_unix_micro),
    METHOD("UnixMilli", "func() int64", time_unix_milli),
    METHOD("UnixNano", "func() int64", time_unix_nano),
    METHOD("Weekday", "func() time.Weekday", time_weekday),
    METHOD("Year", "func() int", time_year),
    METHOD("YearDay", "func() int", time_yearday),
    METHOD("Zone", "func() (string, int)", never_called),
    METHOD("ZoneBounds", "func() (time.Time, time.Time)", never_called),
    {0},
};

static bool location_to_string(struct tmpl_call *c)
{
    return tv_is_nil(c->self) ? return_str(c, STR("UTC"))
                              : return_str(c, zone_name(zone_of(c->self)));
}

const struct tmpl_func location_methods[] = {
    METHOD("String", "func() string", location_to_string),
    {0},
};
