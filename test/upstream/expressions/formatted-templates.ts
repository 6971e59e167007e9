/** Texts of a type: those without parts, and those of calls. */
export interface ExpressionTemplates {
  readonly atoms: readonly string[];
  readonly calls: readonly string[];
}

/** Expressions of the types that are parsed from texts, and those texts. */
export const FORMATTED: Readonly<Record<string, ExpressionTemplates>> = {
  urlText: {
    atoms: [
      '"https://user:pw@example.com:80/a%20b/c?q=1&q=2&r=#f"',
      '"http://[::1]:8080/"',
      '"/path?x=%zz"',
      '"https://ex ample.com"',
      '"mailto:a@b"',
      '"http://é.de/ä?ö"',
      '"//host/p"',
      '"http://h:x/"',
      '"http://h/%2f;a,b"',
    ],
    calls: ['({urlText} + {string})'],
  },
  url: { atoms: ['url("https://example.com:80/a?q=1&q=2")', 'url("/p")'], calls: ['url({urlText})', 'url({string})'] },
  ipText: {
    atoms: [
      '"127.0.0.1"',
      '"::1"',
      '"::ffff:1.2.3.4"',
      '"fe80::1"',
      '"fe80::1%eth0"',
      '"224.0.0.1"',
      '"0.0.0.0"',
      '"01.2.3.4"',
      '"2001:DB8::"',
      '"192.168.0.256"',
      '"169.254.1.1"',
      '"1:2:3:4:5:6:7:8"',
      '"ff02::1"',
    ],
    calls: ['({ipText} + {string})'],
  },
  ip: { atoms: ['ip("10.0.0.1")', 'ip("2001:db8::1")'], calls: ['ip({ipText})', 'ip({string})', '{cidr}.ip()'] },
  cidrText: {
    atoms: [
      '"10.0.0.0/8"',
      '"10.1.2.3/16"',
      '"::/0"',
      '"2001:db8::/129"',
      '"1.2.3.4/33"',
      '"::ffff:1.2.3.4/112"',
      '"1.2.3.4/08"',
      '"fe80::/10"',
    ],
    calls: ['({cidrText} + {string})', '({ipText} + "/" + string({index}))'],
  },
  cidr: {
    atoms: ['cidr("10.0.0.0/8")', 'cidr("2001:db8::/32")'],
    calls: ['cidr({cidrText})', 'cidr({string})', '{cidr}.masked()'],
  },
  quantityText: {
    atoms: [
      '"1"',
      '"100m"',
      '"1.5Gi"',
      '"-2Ki"',
      '"1e3"',
      '"0"',
      '"9223372036854775807"',
      '"1E"',
      '"12345678901234567890"',
      '"1.1.1"',
      '"0.0001n"',
      '".5"',
    ],
    calls: ['({quantityText} + {string})', 'string({int})'],
  },
  quantity: {
    atoms: ['quantity("1")', 'quantity("100m")', 'quantity("1.5Gi")'],
    calls: [
      'quantity({quantityText})',
      'quantity({string})',
      '{quantity}.add({quantity})',
      '{quantity}.add({int})',
      '{quantity}.sub({quantity})',
      '{quantity}.sub({int})',
    ],
  },
  semverText: {
    atoms: [
      '"1.2.3"',
      '"v1.2"',
      '"1.2.3-alpha.1+b5"',
      '"01.2.3"',
      '"1"',
      '"1.2.3-"',
      '"1.2.99999999999999999999"',
      '"1.2.3-01"',
      '"0.0.0"',
      '"v1"',
      '"1.02"',
    ],
    calls: ['({semverText} + {string})'],
  },
  semver: {
    atoms: ['semver("1.2.3")', 'semver("1.2.3-alpha")', 'semver("v1.2", true)'],
    calls: ['semver({semverText})', 'semver({semverText}, {bool})', 'semver({string})'],
  },
  formatName: {
    atoms: [
      ...['dns1123Label', 'dns1123Subdomain', 'dns1035Label', 'qualifiedName', 'labelValue', 'uri', 'uuid', 'byte'],
      ...['date', 'datetime', 'dns1123LabelPrefix', 'dns1123SubdomainPrefix', 'dns1035LabelPrefix', 'nothing'],
    ].map((name) => `"${name}"`) as [string, ...string[]],
    calls: [],
  },
  formatValue: {
    atoms: [
      '"a-b"',
      '"A_b"',
      '"x.y/z"',
      '"2024-01-01"',
      '"2024-01-01T00:00:00Z"',
      '"YQ=="',
      '"http://x"',
      '"123e4567-e89b-12d3-a456-426614174000"',
      '"-"',
      '"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggg"',
    ],
    calls: ['({formatValue} + {string})', '{string}', '{urlText}'],
  },
  formatResult: {
    atoms: ['format.dns1123Label().validate("A")'],
    calls: [
      'format.named({formatName}).value().validate({formatValue})',
      'format.dns1123Subdomain().validate({formatValue})',
      'format.labelValue().validate({formatValue})',
      'format.qualifiedName().validate({formatValue})',
      'format.uri().validate({formatValue})',
      'format.date().validate({formatValue})',
      'format.datetime().validate({formatValue})',
      'format.byte().validate({formatValue})',
      'format.uuid().validate({formatValue})',
      'format.dns1035Label().validate({formatValue})',
      'format.dns1123LabelPrefix().validate({formatValue})',
    ],
  },
};
