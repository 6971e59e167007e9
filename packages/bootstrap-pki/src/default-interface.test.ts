import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
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

it('reads the tables of this machine, if it has some', () => {
  // Later columns count packets.
  const interfaces = (text: string, column: number) =>
    text.split('\n').map((line) => line.trim().split(/\s+/).at(column));
  const present = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  const { ipv4, ipv6 } = readRouteTables();
  expect([interfaces(ipv4, 0), interfaces(ipv6, -1)]).toEqual([
    interfaces(present('/proc/net/route'), 0),
    interfaces(present('/proc/net/ipv6_route'), -1),
  ]);
});
