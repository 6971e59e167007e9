import type { JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { cloneJson, isMembers, type Members } from '@apiserver/apimachinery/json';
import type { Random } from '../../watch/random.ts';

type Schema = JSONSchemaProps | undefined;

const ODD = [null, 1, 'q', true, [], {}, 1.5, -7, { zz: '1' }, [null], ['x', 'x'], ''] as const;
const INTEGERS = [0, 1, 2, 3, 5, 10, 80, 443, 65536, -1, 100, 2 ** 31, 1.5] as const;
const QUANTITIES = [1, 'x', '50%', -3, '100m', '1Gi', '0'] as const;
const RESOURCES = [{ apiVersion: 'v1', kind: 'Foo', metadata: { name: 'n' } }, { kind: 'F' }] as const;
const HOSTS =
  'a abc x-1 a.b.c example.com *.example.com foo/bar /foo https://x.y/z http://a:80 us-east-1 key=value a:b';
const ADDRESSES = '10.0.0.1 10.0.0.0/24 fd00::1 fd00::/64 1.2.3.4 ::1 00:11:22:33:44:55';
const OTHERS = '1 10s 1h30m 100m 1Gi 50% A Abc v1 v1.2.3 1.30.0 aGk= reg.io/a/b:tag é @daily -1 true ( #fff Always';
const TEXTS = [
  ...[HOSTS, ADDRESSES, OTHERS].flatMap((texts) => texts.split(' ')),
  ...(['', ' ', 'a'.repeat(70), 'x'.repeat(300), '*/5 * * * *', 'arn:aws:iam::123456789012:role/x'] as const),
  `sha256:${'0'.repeat(64)}`,
  '2024-01-01T00:00:00Z',
];
/** Values that one object has, beside those that are required. */
const MAX_VALUES = 120;

/** Random values of real schemas, most of them valid. */
export class SchemaValues {
  readonly #random: Random;
  readonly #texts: readonly string[];
  #left = 0;

  /** `texts` are further ones, as the rules of a definition have them. */
  constructor(random: Random, texts: readonly string[]) {
    this.#random = random;
    this.#texts = [...TEXTS, ...texts];
  }

  /** One of a list that has some. */
  pick<T>(values: readonly T[]): T {
    return values[this.#random.below(values.length)] as T;
  }

  value(schema: Schema, most = MAX_VALUES): unknown {
    this.#left = most;
    return this.#value(schema, 0);
  }

  /** Changes a random part of a value. Mutates. */
  edit(root: object, schema: Schema): void {
    const places = placesIn(root, schema);
    if (places.length === 0) return;
    const { holder, key, schema: own } = this.pick(places);
    const kind = this.#random.next();
    const value = Reflect.get(holder, key);
    const names = Object.keys(own?.properties ?? {});
    if (kind < 0.25) {
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else Reflect.deleteProperty(holder, key);
    } else if (kind < 0.35 && Array.isArray(holder)) holder.push(cloneJson(value));
    else if (kind < 0.6 && names.length > 0 && isMembers(value)) {
      const name = this.pick(names);
      value[name] = this.value(own?.properties?.[name], 20);
    } else Reflect.set(holder, key, own === undefined ? cloneJson(this.pick<unknown>(ODD)) : this.value(own, 20));
  }

  #value(schema: Schema, depth: number): unknown {
    const random = this.#random;
    this.#left--;
    if (schema === undefined || random.chance(0.012)) return cloneJson(this.pick<unknown>(ODD));
    if (schema.nullable === true && random.chance(0.1)) return null;
    if (schema.default !== undefined && random.chance(0.15)) return cloneJson(schema.default);
    if (schema.enum && schema.enum.length > 0 && random.chance(0.93)) return cloneJson(this.pick(schema.enum));
    if (schema['x-kubernetes-int-or-string'] === true) return this.pick(QUANTITIES);
    if (schema['x-kubernetes-embedded-resource'] === true) return cloneJson(this.pick<unknown>(RESOURCES));
    switch (schema.type) {
      case 'object':
        return schema.properties ? this.#object(schema, depth) : this.#map(schema, depth);
      case 'array':
        return this.#list(schema, depth);
      case 'string':
        return this.#text(schema);
      case 'boolean':
        return random.chance(0.5);
      case 'integer':
      case 'number':
        return this.#number(schema);
      default:
        return cloneJson(this.pick<unknown>([1, 'x', { k: { l: [1] } }, [1, 'a'], true]));
    }
  }

  #object({ properties = {}, required }: JSONSchemaProps, depth: number): Members {
    const names = Object.keys(properties);
    const few = depth < 2 ? 0.6 : Math.min(0.5, 4 / names.length);
    const object: Members = {};
    for (const name of names) {
      const chance = required?.includes(name) === true ? 0.97 : this.#left > 0 ? few : 0;
      if (this.#random.chance(chance)) object[name] = this.#value(properties[name], depth + 1);
    }
    if (this.#random.chance(0.02))
      object[this.pick(['unknown', 'Spec', 'x.y'])] = this.pick<unknown>([1, 's', { a: 1 }]);
    return object;
  }

  #map({ additionalProperties: rest }: JSONSchemaProps, depth: number): Members {
    if (typeof rest !== 'object')
      return this.#random.chance(0.5) ? { k: this.pick<unknown>([1, 's', { l: [1] }]) } : {};
    const keys = Array.from({ length: this.#random.below(3) }, () => this.pick(['k1', 'a.b/c', 'app']));
    return Object.fromEntries(keys.map((key) => [key, this.#value(rest, depth + 1)]));
  }

  #list({ items, minItems = 0 }: JSONSchemaProps, depth: number): unknown[] {
    const least = this.#random.chance(0.9) ? Number(minItems) : 0;
    const length = this.#left > 0 ? Math.max(least, this.#random.below(4)) : least;
    const element = Array.isArray(items) ? undefined : items;
    return Array.from({ length: Math.min(length, 6) }, () => this.#value(element, depth + 1));
  }

  #number({ minimum, maximum }: JSONSchemaProps): number {
    const near = [minimum, maximum].filter((bound) => bound !== undefined).flatMap((at) => [at, at, at - 1, at + 1]);
    return this.pick([...INTEGERS, ...near]);
  }

  #text({ pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: JSONSchemaProps): string {
    const fits = (text: string) => text.length >= minLength && text.length <= maxLength && matches(text, pattern);
    const valid = this.#random.chance(0.9) ? this.#texts.filter(fits) : [];
    return this.pick(valid.length > 0 ? valid : this.#texts);
  }
}

/** Only a hint: patterns of Go may mean something else here, or nothing. */
function matches(text: string, pattern: string | undefined): boolean {
  if (!pattern) return true;
  try {
    return new RegExp(pattern).test(text);
  } catch {
    return true;
  }
}

interface Place {
  readonly holder: object;
  readonly key: string;
  readonly schema: Schema;
}

function placesIn(value: unknown, schema: Schema): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const own = Array.isArray(value) ? itemsOf(schema) : memberOf(schema, key);
    return [{ holder: value, key, schema: own }, ...placesIn(member, own)];
  });
}

function itemsOf(schema: Schema): Schema {
  return Array.isArray(schema?.items) ? undefined : schema?.items;
}

function memberOf(schema: Schema, name: string): Schema {
  const rest = schema?.additionalProperties;
  return schema?.properties?.[name] ?? (typeof rest === 'object' ? rest : undefined);
}
