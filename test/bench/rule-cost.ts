import { setTimeout as sleep } from 'node:timers/promises';
import { AdminClient } from '../harness/admin-client.ts';
import { startApiServer } from '../harness/api-server.ts';
import { customResourceDefinition, DEFINITIONS } from '../harness/custom-resource-definition.ts';
import { percentile } from './measurement.ts';
import { printTable } from './print-table.ts';
import { whileWorking } from './server-statistics.ts';

const GROUP = 'rules.bench.example.com';
const BATCH = 500;
const AT_ONCE = 16;
const WARM_UP = 12;

/** Rules as operators have them. Five are about an object, five about each of five elements of a list. */
const objectRules = [
  'self.minReplicas <= self.maxReplicas',
  "self.mode in ['Auto', 'Manual']",
  "self.mode != 'Manual' || has(self.payload)",
  'self.parts.all(p, p.count >= 0)',
  '!has(oldSelf.mode) || self.mode == oldSelf.mode',
];
const partRules = [
  'self.count >= 0 && self.count <= 100',
  'self.name.size() > 0',
  "self.name.startsWith('part')",
  "self.name != 'none' || self.count == 0",
  'has(self.count)',
];

const rulesOf = (expressions: readonly string[]) => ({
  'x-kubernetes-validations': expressions.map((rule) => ({ rule, message: 'no' })),
});

function definition(kind: string, withRules: boolean) {
  const integer = { type: 'integer' };
  const part = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string', maxLength: 50 }, count: integer },
    ...(withRules && rulesOf(partRules)),
  };
  const keys = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
  const spec = {
    type: 'object',
    properties: {
      minReplicas: integer,
      maxReplicas: integer,
      mode: { type: 'string', maxLength: 20 },
      payload: { type: 'string', maxLength: 1000 },
      parts: { type: 'array', maxItems: 20, items: part, ...keys },
    },
    ...(withRules && rulesOf(objectRules)),
  };
  return customResourceDefinition(GROUP, kind, { properties: { spec } });
}

const objectOf = (kind: string, name: string) => ({
  apiVersion: `${GROUP}/v1`,
  kind,
  metadata: { name },
  spec: {
    minReplicas: 1,
    maxReplicas: 5,
    mode: 'Auto',
    payload: 'x'.repeat(500),
    parts: Array.from({ length: 5 }, (_, part) => ({ name: `part-${part}`, count: part })),
  },
});

/** A kind whose objects are created and replaced. */
class RuledKind {
  readonly #client: AdminClient;
  readonly #kind: string;
  #made = 0;

  constructor(client: AdminClient, kind: string) {
    this.#client = client;
    this.#kind = kind;
  }

  get #path(): string {
    return `/apis/${GROUP}/v1/namespaces/default/${this.#kind.toLowerCase()}s`;
  }

  async define(withRules: boolean): Promise<void> {
    await this.#client.request('POST', DEFINITIONS, definition(this.#kind, withRules));
    while ((await this.#client.request('GET', this.#path)).status !== 200) await sleep(50);
  }

  /** µs of the server's CPU for a create. */
  async batch(): Promise<number> {
    const { cpuSeconds } = await whileWorking(this.#client, async () => {
      for (let made = 0; made < BATCH; made += AT_ONCE) {
        await Promise.all(Array.from({ length: AT_ONCE }, () => this.#create()));
      }
    });
    return (cpuSeconds * 1e6) / BATCH;
  }

  async #create(): Promise<void> {
    const { status, body } = await this.#client.request('POST', this.#path, objectOf(this.#kind, `o${this.#made++}`));
    if (status !== 201) throw new Error(body);
  }
}

/** Prints how much dearer creates are with ten rules than without, in neighbouring batches on one server. */
export async function measureRules(batches: number): Promise<void> {
  await using server = await startApiServer();
  using client = new AdminClient(server.kubeconfig);
  const plain = new RuledKind(client, 'Plain');
  const ruled = new RuledKind(client, 'Ruled');
  await plain.define(false);
  await ruled.define(true);
  const results: { plain: number; ruled: number }[] = [];
  for (let batch = 0; batch < WARM_UP + batches; batch++) {
    const first = batch % 2 === 0 ? await plain.batch() : await ruled.batch();
    const second = batch % 2 === 0 ? await ruled.batch() : await plain.batch();
    const [without, having] = batch % 2 === 0 ? [first, second] : [second, first];
    if (batch >= WARM_UP) results.push({ plain: without, ruled: having });
  }
  const quantile = (values: readonly number[], share: number) =>
    percentile(
      values.toSorted((a, b) => a - b),
      share,
    );
  const ratios = results.map((result) => result.ruled / result.plain);
  printTable('create of a custom resource of 800 bytes', [
    ['', 'cpu µs/op'],
    [
      'without rules',
      quantile(
        results.map((result) => result.plain),
        0.5,
      ).toFixed(0),
    ],
    [
      'ten rules, five of them for each of five elements',
      quantile(
        results.map((result) => result.ruled),
        0.5,
      ).toFixed(0),
    ],
    ['ratio (quartiles)', [0.25, 0.5, 0.75].map((share) => quantile(ratios, share).toFixed(2)).join(' ')],
  ]);
}
