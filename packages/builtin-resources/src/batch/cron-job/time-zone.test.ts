import { FieldPath, fieldErrorMessage } from '@apiserver/apimachinery/field';
import { expect, it } from 'vitest';
import { validateTimeZone } from './time-zone.js';

const explicit = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
const unknown = (zone: string) => `timeZone: Invalid value: ${JSON.stringify(zone)}: unknown time zone ${zone}`;

it.each<[string, readonly string[]]>([
  ['Europe/Berlin', []],
  ['US/Eastern', []],
  ['Etc/GMT+1', []],
  ['UTC', []],
  ['', ['timeZone: Invalid value: "": timeZone must be nil or non-empty string']],
  ['europe/berlin', [unknown('europe/berlin')]],
  ['utc', [unknown('utc')]],
  ['+0100', [unknown('+0100')]],
  ['Moon', [unknown('Moon')]],
  ['Europe//Berlin', [unknown('Europe//Berlin')]],
  ['PST', [unknown('PST')]],
  ['Factory', []],
  ['Europe', ['timeZone: Invalid value: "Europe": is a directory']],
  ['../x', [unknown('../x')]],
  ['a..b', ['timeZone: Invalid value: "a..b": time: invalid location name']],
  ['Local', [`timeZone: Invalid value: "Local": ${explicit}`]],
  ['local', [`timeZone: Invalid value: "local": ${explicit}`, unknown('local')]],
])('%j', (zone, faults) => {
  expect(validateTimeZone(zone, FieldPath.of('timeZone')).map(fieldErrorMessage)).toEqual(faults);
});
