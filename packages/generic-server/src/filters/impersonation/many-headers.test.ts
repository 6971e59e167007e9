import { expect, it } from 'vitest';
import { RequestHeadersView } from '../../serving/transport/request-headers.js';
import { impersonationNames, wantedUserOf } from './impersonation-headers.js';

/** Header fields that count their reads. */
function counted(count: number) {
  const raw = [
    'Impersonate-User',
    'u',
    ...Array.from({ length: count }, (_, n) => [`Impersonate-Extra-${n}`, 'v']).flat(),
  ];
  const joined = Object.fromEntries(
    raw.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1]]] : [])),
  );
  let looks = 0;
  const watched = new Proxy(raw, {
    get(target, property, receiver) {
      if (typeof property === 'string' && /^\d+$/.test(property)) looks++;
      return Reflect.get(target, property, receiver);
    },
  });
  return { headers: new RequestHeadersView({ joined, raw: watched }), looks: () => looks };
}

it('the cost of extras is linear', () => {
  const looksOf = (count: number) => {
    const { headers, looks } = counted(count);
    expect(Object.keys(wantedUserOf(headers, impersonationNames(headers) ?? [])?.extra ?? {}).length).toBe(count);
    return looks();
  };
  expect(looksOf(2_000) / looksOf(1_000)).toBeLessThan(2.1);
});

it('all values of a name are cached equally, whatever the order of requests', () => {
  const raw = ['A', '1', 'b', '2', 'a', '3', 'B', '4'];
  const headers = new RequestHeadersView({ joined: { a: '1, 3', b: '2, 4' }, raw });
  for (let round = 0; round < 20; round++) {
    expect([headers.all('a'), headers.all('B'), headers.all('c')]).toEqual([['1', '3'], ['2', '4'], []]);
  }
});
