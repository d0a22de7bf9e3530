/* SPDX-License-Identifier: Apache-2.0 */
/* Functions and types for dates and versions, in templates. */
#include "render.h"

#define T "(toDate \"2006-01-02T15:04:05Z07:00\" \"2024-02-29T13:14:15.678901234+05:30\")"
#define U "(toDate \"2006-01-02\" \"2020-01-02\")"

static const struct render_case functions[] = {
    {"{{dateInZone \"15:04 MST\" 0 \"Europe/Berlin\"}}", NULL, "01:00 CET"},
    {"{{dateInZone \"15:04 MST\" 0 \"Nope\"}}", NULL, "00:00 UTC"},
    {"{{date \"2006\" .x}} {{htmlDate .x}}", "{\"x\":1700000000}", "2023 2023-11-15"},
    {"{{htmlDateInZone 0 \"America/New_York\"}}", NULL, "1969-12-31"},
    {"{{now}} {{now | unixEpoch}}", NULL,
     "2024-02-29 09:00:00 +0900 JST m=+0.000000001 1709164800"},
    {"{{ago (toDate \"2006\" \"2024\")}} {{ago 1709164795}} {{ago \"x\"}}", NULL,
     "1425h0m0s 5s 0s"},
    {"{{dateModify \"-1.5h\" " U "}}", NULL, "2020-01-01 22:30:00 +0900 JST"},
    {"{{dateModify \"1d\" " U "}}", NULL, "2020-01-02 00:00:00 +0900 JST"},
    {"{{mustDateModify \"1d\" " U "}}", NULL,
     "template: t:1:2: executing \"t\" at <mustDateModify \"1d\" (toDate \"2006-01-02\" "
     "\"2020-01-02\")>: error calling mustDateModify: time: unknown unit \"d\" in duration \"1d\""},
    {"{{toDate \"2006\" \"x\"}}", NULL, "0001-01-01 00:00:00 +0000 UTC"},
    {"{{duration \"95\"}} {{duration .x}} {{duration 5}} {{duration \"9999999999999999999\"}}",
     "{\"x\":9223372037}", "1m35s -2562047h47m16.709551616s 0s -1s"},
    {"{{durationRound \"9000h\"}} {{durationRound \"800h\"}} {{durationRound \"25h\"}} "
     "{{durationRound \"61m\"}} {{durationRound \"61s\"}} {{durationRound \"1001ms\"}} "
     "{{durationRound \"1s\"}} {{durationRound " U "}}",
     NULL, "1y 1mo 1d 1h 1m 1s 0s 4y"},
};

TEST(functions_use_the_zone_of_the_run_and_the_clock)
{
    AUTO_ARENA a = arena_new();

    clock_fake(1709164800 * NS_PER_SEC);
    for (size_t i = 0; i < COUNT(functions); i++) {
        struct tmpl_run run = {.zone = STR("Asia/Tokyo")};
        assert_str(render_with(a, functions[i].text, functions[i].json, TMPL_KC, &run),
                   str_c(functions[i].want));
    }
    clock_real();
}

static const struct render_case methods[] = {
    {"{{" T ".Year}} {{" T ".Month}} {{" T ".Day}} {{" T ".Hour}} {{" T ".Minute}} {{" T
     ".Second}} {{" T ".Nanosecond}} {{" T ".YearDay}} {{" T ".Weekday}}",
     NULL, "2024 February 29 13 14 15 678901234 60 Thursday"},
    {"{{" T ".Unix}} {{" T ".UnixMilli}} {{" T ".UnixMicro}} {{" T ".UnixNano}}", NULL,
     "1709192655 1709192655678 1709192655678901 1709192655678901234"},
    {"{{" T ".UTC}} {{" T ".Location}}|{{" T ".UTC.Location}} {{(" T ".In " T
     ".UTC.Location).Hour}}",
     NULL, "2024-02-29 07:44:15.678901234 +0000 UTC |UTC 7"},
    {"{{(" T ".Add 3600000000000).Hour}} {{" T ".AddDate 0 1 0 | date \"01-02\"}}", NULL,
     "14 03-29"},
    {"{{(" T ".Round 3600000000000).Minute}} {{(" T ".Truncate 60000000000).Second}}", NULL,
     "30 0"},
    {"{{" T ".After " U "}} {{" T ".Before " U "}} {{" T ".Equal " T "}} {{" T ".Compare " U "}}",
     NULL, "true false true 1"},
    {"{{" T ".IsZero}} {{(toDate \"\" \"x\").IsZero}} {{" T ".IsDST}}", NULL, "false true false"},
    {"{{$d := " T ".Sub " U
     "}}{{$d}} {{$d.Hours}} {{$d.Round 60000000000}} {{$d.Truncate 1000000000}} "
     "{{$d.Milliseconds}} {{(" U ".Sub " T ").Abs}}",
     NULL,
     "36463h44m15.678901234s 36463.73768858368 36463h44m0s 36463h44m15s 131269455678 "
     "36463h44m15.678901234s"},
    {"{{" T ".GoString}}", NULL,
     "time.Date(2024, time.February, 29, 13, 14, 15, 678901234, time.Location(\"\"))"},
    {"{{printf \"%s %#v %d %T\" " U " " U " " U " " U "}}", NULL,
     "2020-01-02 00:00:00 +0000 UTC time.Date(2020, time.January, 2, 0, 0, 0, 0, time.UTC) "
     "{0 63713520000 0} time.Time"},
    {"{{printf \"%s %x %#v\" " U ".MarshalText " U ".MarshalBinary (semver \"1\").MarshalText}}",
     NULL,
     "2020-01-02T00:00:00Z 010000000ed59f298000000000ffff []byte{0x31, 0x2e, 0x30, 0x2e, 0x30}"},
    {"{{(" U ".AddDate 9000 0 0).MarshalJSON}}", NULL,
     "template: t:1:55: executing \"t\" at <((toDate \"2006-01-02\" \"2020-01-02\").AddDate 9000 0 "
     "0).MarshalJSON>: error calling MarshalJSON: Time.MarshalJSON: year outside of range "
     "[0,9999]"},
    {"{{" U ".In nil}}", NULL,
     "template: t:1:36: executing \"t\" at <(toDate \"2006-01-02\" \"2020-01-02\").In>: error "
     "calling "
     "In: time: missing Location in call to Time.In"},
    {"{{" U ".Clock}}", NULL,
     "template: t:1:23: executing \"t\" at <\"2020-01-02\">: function Clock has 3 return values; "
     "should be 1 or 2"},
    {"{{" U ".Zone}}", NULL,
     "template: t:1:23: executing \"t\" at <\"2020-01-02\">: invalid function signature for Zone: "
     "second return value should be error; is int"},
    {"{{" U ".wall}}", NULL,
     "template: t:1:23: executing \"t\" at <\"2020-01-02\">: wall is an unexported field of struct "
     "type time.Time"},
    {"{{eq " U " " U "}} {{eq " T " " T "}} {{deepEqual " T " " T "}} {{eq " U " " T "}}", NULL,
     "true false true false"},
};

static const struct render_case versions[] = {
    {"{{$v := semver \"v1.2.3-rc.1+b5\"}}{{$v}} {{$v.Major}} {{$v.Minor}} {{$v.Patch}} "
     "{{$v.Prerelease}} "
     "{{$v.Metadata}} {{$v.Original}}",
     NULL, "1.2.3-rc.1+b5 1 2 3 rc.1 b5 v1.2.3-rc.1+b5"},
    {"{{$v := semver \"v1.2.3-rc.1\"}}{{$v.IncPatch}} {{$v.IncMinor}} {{$v.IncMajor.IncPatch}}",
     NULL, "1.2.3 1.3.0 2.0.1"},
    {"{{$v := semver \"1.2.3\"}}{{$w := semver \"1.3\"}}{{$v.Compare $w}} {{$v.LessThan $w}} "
     "{{$v.LessThanEqual $v}} {{$v.GreaterThan $w}} {{$v.GreaterThanEqual $w}} {{$v.Equal nil}}",
     NULL, "-1 true true false false false"},
    {"{{(semver \"1\").SetPrerelease \"beta\"}} {{(semver \"1\").SetMetadata \"x\"}}", NULL,
     "1.0.0-beta 1.0.0+x"},
    {"{{(semver \"1\").SetPrerelease \"01\"}}", NULL,
     "template: t:1:14: executing \"t\" at <(semver \"1\").SetPrerelease>: error calling "
     "SetPrerelease: Version segment starts with 0"},
    {"{{(semver \"1\").SetMetadata \"a_b\"}}", NULL,
     "template: t:1:14: executing \"t\" at <(semver \"1\").SetMetadata>: error calling "
     "SetMetadata: "
     "Invalid Metadata string"},
    {"{{(semver \"1\").Compare nil}}", NULL,
     "template: t:1:14: executing \"t\" at <(semver \"1\").Compare>: error calling Compare: "
     "runtime "
     "error: invalid memory address or nil pointer dereference"},
    {"{{(semver \"1\").IncMajor.Compare (semver \"1\")}}", NULL,
     "template: t:1:10: executing \"t\" at <\"1\">: can't evaluate field Compare in type "
     "semver.Version"},
    {"{{(semver \"1\").pre}}", NULL,
     "template: t:1:10: executing \"t\" at <\"1\">: pre is an unexported field of struct type "
     "*semver.Version"},
    {"{{printf \"%d %#v\" (semver \"1.2.3\") (semver \"1.2.3\").IncPatch}}", NULL,
     "&{1 2 3 %!d(string=) %!d(string=) %!d(string=1.2.3)} semver.Version{major:0x1, minor:0x2, "
     "patch:0x4, pre:\"\", metadata:\"\", original:\"1.2.4\"}"},
    {"{{eq (semver \"1\") (semver \"1\")}} {{deepEqual (semver \"1\") (semver \"1\")}} "
     "{{eq (semver \"1\").IncMajor (semver \"1\").IncMajor}}",
     NULL, "false true true"},
    {"{{semverCompare \"^1.2\" \"1.4.0\"}} {{semverCompare \"~1.2\" \"1.4.0\"}}", NULL,
     "true false"},
};

static void check_in_utc(const struct render_case *cases, size_t count)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < count; i++) {
        struct tmpl_run run = {.zone = STR("UTC")};
        assert_str(render_with(a, cases[i].text, cases[i].json, TMPL_KC, &run),
                   str_c(cases[i].want));
    }
}

TEST(times_have_the_methods_of_go)
{
    check_in_utc(methods, COUNT(methods));
}

TEST(versions_have_the_methods_of_the_original)
{
    check_in_utc(versions, COUNT(versions));
}

RUN_TESTS(cmocka_unit_test(functions_use_the_zone_of_the_run_and_the_clock),
          cmocka_unit_test(times_have_the_methods_of_go),
          cmocka_unit_test(versions_have_the_methods_of_the_original))
