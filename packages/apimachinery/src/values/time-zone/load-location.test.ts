import { expect, test } from 'vitest';
import { loadLocation } from './load-location.js';
import { ZONE_FOLDERS } from './zone-names.js';

// The answers of Go 1.26 on Debian 12.
test.each([
  ['', 'UTC'],
  ['Local', 'UTC'],
  ['Europe/Berlin', 'Europe/Berlin'],
  ['America/Argentina/Ushuaia', 'America/Argentina/Ushuaia'],
  ['Europe//Berlin', 'Europe/Berlin'],
  ['./Europe/./Berlin', 'Europe/Berlin'],
  ['posix/Europe/Berlin', 'Europe/Berlin'],
  ['right/UTC', 'UTC'],
  ['Factory', 'UTC'],
  ['Europe', 'is a directory'],
  ['Europe/', 'is a directory'],
  ['America/Indiana', 'is a directory'],
  ['.', 'is a directory'],
  ['right', 'is a directory'],
  ['Europe/Berlin/', 'not a directory'],
  ['Europe/Berlin/.', 'not a directory'],
  ['Europe/Berlin/x', 'not a directory'],
  ['Europe/x/', 'unknown time zone Europe/x/'],
  ['EUROPE/Berlin', 'unknown time zone EUROPE/Berlin'],
  ['PST', 'unknown time zone PST'],
  ['SystemV/AST4', 'unknown time zone SystemV/AST4'],
  ['zone.tab', 'malformed time zone information'],
  ['zone.tab/x', 'not a directory'],
  ['constructor', 'unknown time zone constructor'],
  ['Europe/..', 'time: invalid location name'],
  ['/Europe', 'time: invalid location name'],
  ['a\0b', 'invalid argument'],
  [`Europe/${'é'.repeat(128)}`, 'file name too long'],
  ['./'.repeat(2500), 'file name too long'],
])('%j is %s', (name, expected) => {
  const location = loadLocation(name);
  expect('fault' in location ? location.fault : location.zone).toBe(expected);
});

test('this Node knows all zones', () => {
  for (const [folder, names] of Object.entries(ZONE_FOLDERS)) {
    for (const name of names.split(' ')) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const location = loadLocation(path);
      const zone = 'zone' in location ? location.zone : path;
      expect(() => new Intl.DateTimeFormat('en', { timeZone: zone }), path).not.toThrow();
    }
  }
});
