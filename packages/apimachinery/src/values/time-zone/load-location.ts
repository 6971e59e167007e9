import { ZONE_FOLDERS } from './zone-names.js';

/** A time zone by its name, or the reason why there is none. */
export type Location = { readonly zone: string } | { readonly fault: string };

const UTC: Location = { zone: 'UTC' };

/** Zones that `Intl` does not know. The machine's own zone is that of a container. */
const ALIASES: Readonly<Record<string, string>> = { Factory: 'UTC', localtime: 'UTC', posixrules: 'America/New_York' };

/** Files beside the zones. */
const TABLES = ['iso3166.tab', 'leap-seconds.list', 'leapseconds', 'tzdata.zi', 'zone.tab', 'zone1970.tab'];

/** Folders that have all zones once more. */
const COPIES = /^(?:posix|right)(?:\/|$)/;

const FOLDERS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(ZONE_FOLDERS).map(([folder, names]) => [folder, new Set(names.split(' '))]),
);

/** Most bytes of a path, and of a name in a folder. */
const MAX_PATH_BYTES = 4095;
const MAX_NAME_BYTES = 255;

/** The longest path in which zones are looked for. */
const LONGEST_FOLDER = '/usr/share/lib/zoneinfo//'.length;

/**
 * Finds a time zone as a file below /usr/share/zoneinfo, as Go does, on a system with all zones of the tz database.
 * The zone is a name for `Intl`. Upstream: LoadLocation in Go's time
 */
export function loadLocation(name: string): Location {
  if (name === '' || name === 'UTC' || name === 'Local') return UTC;
  if (name.includes('..') || /^[/\\]/.test(name)) return { fault: 'time: invalid location name' };
  if (name.includes('\0')) return { fault: 'invalid argument' };
  if (Buffer.byteLength(name) + LONGEST_FOLDER > MAX_PATH_BYTES) return { fault: 'file name too long' };
  return followPath(name);
}

function followPath(name: string): Location {
  let path = '';
  for (const part of name.split('/')) {
    if (isFile(path)) return { fault: 'not a directory' };
    if (part === '' || part === '.') continue;
    if (Buffer.byteLength(part) > MAX_NAME_BYTES) return { fault: 'file name too long' };
    path = path === '' ? part : `${path}/${part}`;
    if (!isFile(path) && !isFolder(path)) return { fault: `unknown time zone ${name}` };
  }
  if (isFolder(path)) return { fault: 'is a directory' };
  if (TABLES.includes(path)) return { fault: 'malformed time zone information' };
  const zone = path.replace(COPIES, '');
  return { zone: ALIASES[zone] ?? zone };
}

function isFile(path: string): boolean {
  const zone = path.replace(COPIES, '');
  const slash = zone.lastIndexOf('/');
  const names = FOLDERS.get(slash < 0 ? '' : zone.slice(0, slash));
  return names?.has(zone.slice(slash + 1)) === true || Object.hasOwn(ALIASES, zone) || TABLES.includes(path);
}

function isFolder(path: string): boolean {
  return FOLDERS.has(path.replace(COPIES, ''));
}
