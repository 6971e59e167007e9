import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { defaultInterfaces, readRouteTables } from './default-interface.js';

const ipv4 = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
eth1\t00000000\t0102A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
`;
const ipv6 = `00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth2
00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo
fe800000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth1
fe800000000000000000000000000000 40 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000100 00000001 00000000 00000001     eth3
000000000000000000000000000000001 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth4
1000000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth5
`;

it.each([
  [{ ipv4, ipv6 }, ['eth1', 'eth2']],
  [{ ipv4: '', ipv6 }, ['eth2']],
  [{ ipv4: '', ipv6: '' }, []],
])('finds the interfaces of default routes: %#', (tables, names) => {
  expect(defaultInterfaces(tables)).toEqual(names);
});

it.each([
  { ipv4, ipv6 },
  { ipv4, ipv6: '' },
  { ipv4: '', ipv6 },
  { ipv4: '', ipv6: '' },
])('reads the tables that exist: %#', (tables) => {
  const folder = mkdtempSync(join(tmpdir(), 'routes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  if (tables.ipv4 !== '') writeFileSync(join(folder, 'route'), tables.ipv4);
  if (tables.ipv6 !== '') writeFileSync(join(folder, 'ipv6_route'), tables.ipv6);
  expect(readRouteTables(folder)).toEqual(tables);
});

it.runIf(existsSync('/proc/net/route'))('reads the tables of this machine', () => {
  expect(readRouteTables().ipv4).toMatch(/^Iface\tDestination\t/);
});
