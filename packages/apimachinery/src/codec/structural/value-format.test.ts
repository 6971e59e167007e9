import { expect, it } from 'vitest';
import { formatCheck } from './value-format.js';

/** The values that Go's libraries accept and reject. */
it.each<readonly [format: string, taken: readonly string[], refused: readonly string[]]>([
  ['date', ['2020-02-29'], ['2021-02-29', '2020-1-1']],
  [
    'date-time',
    ['2020-01-01T00:00:00Z', '2020-01-01t00:00:00.1+01:00', '2020-01-01T00:00:00😀1Z'],
    ['2020-01-01T0:00:00Z', '2020-01-01T24:00:00Z', '2020-01-01T00:00:00😀1'],
  ],
  [
    'email',
    ['a@b', '"a b"@c', 'A B <a@b.c>', 'a@[1.2.3.4]', 'a@b (x)', `${'a '.repeat(1_000)}<a@b>`, 'g: a@b;', '=?x <a@b>'],
    ['a', '.a@b', 'a..b@c', 'a@[1.2.3]', 'a@b, c@d', 'g: a@b, c@d;', 'g:;', 'a (b <c@d>', '=?x?q?a?= <a@b>'],
  ],
  ['hostname', ['a', 'a.bc', '☃.com', '1'], ['a.b', 'a_b', 'a--b', '-a', '1.2', '123-45-6789']],
  ['ipv4', ['1.2.3.4', '01.2.3.4', '::ffff:1.2.3.4'], ['::1', '1.2.3', '256.1.1.1']],
  ['ipv6', ['::1', '::ffff:1.2.3.4'], ['fe80::1%eth0', '1::2::3']],
  [
    'uri',
    ['/a b', '*', 'http:', 'urn:x', 'urn:\u2028x', 'http://u@h:1/p?q'],
    ['', 'a', 'http://h/%zz', 'http://a b', 'http://9::1', '?q'],
  ],
  [
    'uri',
    ['http://[::1]:8/', 'http://[fe80::1%25a%20b]/', 'x://a:1:2'],
    ['http://[1.2.3.4]/', 'http://[a]/', 'http://a:1:2'],
  ],
  ['cidr', ['01.2.3.4/8', '::/0'], ['fe80::1%a/10', '1.2.3.4/33']],
  ['isbn', ['978-0 321751041', '012000030X'], ['978-0321751041\u00a0', '012000030x']],
  ['k8s-shortname', ['a-b'], ['A', 'a.b']],
  ['byte', ['aGk=', 'aGkh'], ['', 'aGk', '====']],
  [
    'mac',
    ['00:11:22:33:44:55', '0011.2233.4455', '00-11-22-33-44-55-66-77', '001122334455'],
    ['00:11:22:33:44', '00:11-22:33:44:55'],
  ],
  [
    'duration',
    ['1h30m', '-1.5s', '0', '3 Days', 'in 2 weeks', '99999999999999999999/9 d', '1.99999999999999999999h', '3000000h'],
    ['', '1', '1x', '99999999999999999999h', '9223372036854775808s', '1 d 99999999999999999999 d'],
  ],
  ['ssn', ['123-45-6789', '123 45-6789'], ['123456789']],
  ['rgbcolor', ['rgb( 1, 2 ,255)'], ['rgb(01,2,3)', 'rgb(256,1,1)']],
  ['creditcard', ['4111 1111-1111x1111'], ['4111111111111112']],
])('%s', (format, taken, refused) => {
  const check = formatCheck(format);
  const wrong = [
    ...taken.filter((text) => check?.(text) !== true),
    ...refused.filter((text) => check?.(text) !== false),
  ];
  expect(wrong).toEqual([]);
});

it('text after an email address is scanned once', () => {
  expect(formatCheck('email')?.(`a@b (${'@['.repeat(300_000)})`)).toBe(true);
});

it.each(['a ', 'a.', '"a" ', ' ', '"\\"', 'a@b '])(
  'an invalid email address is rejected in linear time: %j',
  (part) => {
    // A non-linear check takes minutes.
    expect(formatCheck('email')?.(`${part.repeat(300_000)},`)).toBe(false);
  },
);

it.each(['0'.repeat(500_000), `${'0'.repeat(500_000)}x`, '1 '.repeat(250_000), '9'.repeat(500_000)])(
  'a duration with very many digits is rejected at once: %.5s',
  (text) => {
    expect(formatCheck('duration')?.(text)).toBe(false);
  },
);
