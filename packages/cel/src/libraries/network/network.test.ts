import { expect, test } from 'vitest';
import { evaluateText } from '../../testing/evaluate-text.js';

test.each([
  ['ip("2001:DB8::1")', '2001:db8::1', 2],
  ['ip("::ffff:1.2.3.4")', 'error: IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed', 2],
  ['ip("fe80::1%eth0")', 'error: IP address "fe80::1%eth0" with zone value is not allowed', 2],
  ['ip("64:ff9b::1.2.3.4")', '64:ff9b::102:304', 2],
  [
    'ip("1.2.3")',
    'error: IP Address "1.2.3" parse error during conversion from string: ParseAddr("1.2.3"): IPv4 address too short',
    1,
  ],
  [
    'ip("::g")',
    'error: IP Address "::g" parse error during conversion from string: ParseAddr("::g"): each colon-separated field must have at least one digit (at "g")',
    1,
  ],
  [
    'ip("1::2::3")',
    'error: IP Address "1::2::3" parse error during conversion from string: ParseAddr("1::2::3"): multiple :: in address (at ":3")',
    1,
  ],
  ['ip("é")', 'error: IP Address "é" parse error during conversion from string: ParseAddr("é"): unable to parse IP', 1],
  ['isIP("01.2.3.4")', 'false', 1],
  ['ip.isCanonical("2001:0db8:0:0:0:0:0:1")', 'false', 5],
  ['ip("255.255.255.255").isGlobalUnicast()', 'false', 3],
  ['ip("10.0.0.1").isGlobalUnicast()', 'true', 2],
  ['ip("ff02::1").isLinkLocalMulticast()', 'true', 2],
  ['ip("febf::1").isLinkLocalUnicast()', 'true', 2],
  ['ip("127.9.9.9").isLoopback()', 'true', 2],
  ['ip("::").isUnspecified()', 'true', 2],
  ['ip("::1").family() + ip("1.1.1.1").family()', '10', 5],
  ['ip("1.1.1.1") == cidr("1.1.1.1/8").ip()', 'true', 4],
  ['[ip("::1")] == [dyn(1)]', 'true', 12],
  ['dyn(ip("::1")) == dyn(1)', 'error: no such overload', 3],
  ['cidr("10.1.2.3/8").masked()', '10.0.0.0/8', 2],
  ['cidr("2001:db8::1/33").masked()', '2001:db8::/33', 3],
  ['cidr("10.0.0.0/8").containsIP("10.9.9.9")', 'true', 3],
  ['cidr("10.0.0.0/8").containsIP("x")', 'error: no such overload', 3],
  ['cidr("10.0.0.0/8").containsIP(ip("::1"))', 'false', 3],
  ['cidr("10.0.0.0/8").containsCIDR("10.0.0.0/7")', 'false', 5],
  ['cidr("0.0.0.0/0").containsCIDR(cidr("9.9.9.9/32"))', 'true', 3],
  [
    'cidr("1.2.3.4/08")',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("1.2.3.4/08"): bad bits after slash: "08"',
    1,
  ],
  [
    'cidr("1.2.3.4/33")',
    'error: network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("1.2.3.4/33"): prefix length out of range',
    1,
  ],
  [
    'cidr("::ffff:1.2.3.0/120")',
    'error: network address parse error during conversion from string: IPv4-mapped IPv6 address "::ffff:1.2.3.0/120" is not allowed',
    2,
  ],
  ['{cidr("1.0.0.0/8"): 1}[cidr("1.0.0.0/8")]', 'error: invalid qualifier type: cel.CIDR', 34],
])('%s is %s for %d', (expression, result, cost) => {
  expect(evaluateText(expression)).toEqual([result, cost]);
});
