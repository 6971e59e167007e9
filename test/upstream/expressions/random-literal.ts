import type { Random } from '../../watch/random.ts';
import { mutated } from '../mutated-text.ts';

/** Literals whose digits and spelling are random, by type. */
const LITERALS: Readonly<Record<string, (random: Random) => string>> = {
  int: (random) => (random.chance(0.2) ? `0x${digits(random, 16)}` : `${sign(random)}${digits(random, 10)}`),
  uint: (random) => `${random.chance(0.2) ? `0x${digits(random, 16)}` : digits(random, 10)}u`,
  double: (random) =>
    random.of([
      `${sign(random)}${digits(random, 10)}.${digits(random, 10)}`,
      `${sign(random)}${digits(random, 10)}e${sign(random)}${random.below(330)}`,
      `${sign(random)}.${digits(random, 10)}`,
      `${digits(random, 10)}.${random.below(10)}E+${random.below(20)}`,
    ]),
  duration: (random) => `duration("${sign(random)}${amount(random)}${random.chance(0.4) ? amount(random) : ''}")`,
  timestamp: (random) => `timestamp("${time(random)}")`,
  quantityText: (random) =>
    `"${sign(random)}${digits(random, 10)}${random.of(['', `.${digits(random, 10)}`, '.'])}${random.of([
      '',
      ...['n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei', 'K', 'mi'],
      `e${random.below(40) - 20}`,
      `E${random.below(20)}`,
    ])}"`,
  semverText: (random) => {
    const number = () => `${random.below(random.of([2, 20, 300]))}`;
    const identifier = () => random.of(['alpha', 'rc', '0', '01', '1', '10', 'a-b', 'x.y', '']);
    const pre = random.chance(0.5) ? `-${identifier()}.${identifier()}` : '';
    return `"${random.of(['', '', 'v', 'V'])}${number()}.${number()}.${number()}${pre}${random.chance(0.2) ? `+${identifier()}` : ''}"`;
  },
  ipText: (random) => `"${random.chance(0.5) ? ipv4(random) : ipv6(random)}"`,
  cidrText: (random) =>
    random.chance(0.5) ? `"${ipv4(random)}/${random.below(35)}"` : `"${ipv6(random)}/${random.below(132)}"`,
};

/** A literal of the type: a random one where this knows how, or one of the atoms, whose text may be changed. */
export function randomLiteral(random: Random, type: string, atoms: readonly [string, ...string[]]): string {
  const literal = LITERALS[type];
  if (literal !== undefined && random.chance(0.3)) return literal(random);
  const atom = random.of(atoms);
  const quoted = /^(?<before>[a-z]*\(?")(?<text>[^"\\]*)(?<after>"\)?)$/.exec(atom)?.groups;
  if (quoted === undefined || random.chance(0.75)) return atom;
  const text = mutated(random, quoted['text'] ?? '').replaceAll(/["\\\n]/g, '');
  return `${quoted['before']}${text}${quoted['after']}`;
}

function sign(random: Random): string {
  return random.chance(0.25) ? '-' : '';
}

function digits(random: Random, base: number): string {
  const length = random.of([1, 1, 2, 3, 5, 9, 17, 19]);
  return Array.from({ length }, () => random.below(base).toString(base)).join('');
}

function amount(random: Random): string {
  const number = `${random.below(random.of([3, 100, 100_000]))}${random.chance(0.3) ? `.${digits(random, 10)}` : ''}`;
  return `${number}${random.of(['h', 'm', 's', 'ms', 'us', 'µs', 'ns', 'd', ''])}`;
}

function time(random: Random): string {
  const two = (limit: number) => `${random.below(limit)}`.padStart(2, '0');
  const year = random.of(['0000', '0001', '1582', '1900', '1969', '2000', '2023', '2024', '9999', '10000']);
  const fraction = random.chance(0.4) ? `.${digits(random, 10)}` : '';
  const zone = random.of(['Z', 'Z', '+00:00', '-00:00', `+${two(25)}:${two(61)}`, `-${two(24)}:30`, '']);
  return `${year}-${two(14)}-${two(33)}T${two(25)}:${two(61)}:${two(62)}${fraction}${zone}`;
}

function ipv4(random: Random): string {
  return Array.from({ length: random.of([4, 4, 4, 4, 3]) }, () => random.of([0, 1, 10, 127, 169, 224, 255, 256])).join(
    '.',
  );
}

function ipv6(random: Random): string {
  const group = () => random.of(['0', '1', 'fe80', 'ff02', '2001', 'DB8', '00a', 'ffff', '12345', '']);
  const groups = Array.from({ length: random.of([2, 4, 7, 8, 8]) }, group).join(':');
  return random.of([groups, `::${groups}`, `${groups}::`, `::ffff:${ipv4(random)}`, `::${ipv4(random)}`]);
}
