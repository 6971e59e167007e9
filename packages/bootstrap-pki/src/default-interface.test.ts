import { expect, it } from 'vitest';
import { defaultInterfaces } from './default-interface.js';

const ipv4 = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
eth1\t00000000\t0102A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
`;
const ipv6 = `00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth2
00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo
fe800000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth1
`;

it.each([
  [{ ipv4, ipv6 }, ['eth1', 'eth2']],
  [{ ipv4: '', ipv6 }, ['eth2']],
  [{ ipv4: '', ipv6: '' }, []],
])('finds the interfaces of default routes: %#', (tables, names) => {
  expect(defaultInterfaces(tables)).toEqual(names);
});
