import { ManualClock } from '@apiserver/apimachinery/testing';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { createTestExchange } from '@apiserver/endpoints-installer/testing';
import { FlowControl, type SeatRequest } from '@apiserver/flowcontrol';
import { callHandler } from '@apiserver/generic-server/testing';
import { it } from 'vitest';
import { ManualLoop } from '../../packages/flowcontrol/src/testing/manual-loop.ts';
import { installFlowControlDumps } from '../../packages/generic-server/src/flowcontrol/dumps.ts';
import { PathMux } from '../../packages/generic-server/src/mux/non-go-restful-mux.ts';
import { compareCases } from './compare-cases.ts';
import { type FlowAction, type FlowCase, randomFlowCase } from './random-flow-control.ts';
import { describeUpstream } from './upstream-program.ts';

const DUMPS = [
  ...['dump_priority_levels', 'dump_queues', 'dump_requests', 'dump_requests?includeRequestDetails=yes'],
] as const;
/**
 * As in the program: hidden ones, those that other code observes, and those that depend on real times or overflow
 * upstream.
 */
const TIMED =
  /(utilization|demand_seats|read_vs_write_current_requests|target_seats|next_discounted_s_bounds|request_concurrency_limit|request_concurrency_in_use|work_estimated_seats|watch_count_samples|seconds)$/;
/** Milliseconds; see the random requests. */
const LONGEST_LATENCY = 15;
const STATES = { waiting: 'w', executing: 'e', finished: 'f', cancelled: 'r' } as const;

/** Flow control whose objects, time and requests are given. */
class OurFlowControl {
  readonly #clock = new ManualClock(0);
  readonly #loop = new ManualLoop();
  readonly #metrics = new MetricsRegistry({ withProcess: false });
  readonly #flowControl: FlowControl;
  readonly #levels = new Map<SeatRequest, { cancel(one: SeatRequest): void; finish(one: SeatRequest): void }>();
  readonly #requests: (SeatRequest | undefined)[] = [];
  readonly #mux = new PathMux();

  constructor(seats: number) {
    this.#flowControl = new FlowControl({
      seats,
      clock: this.#clock,
      loop: this.#loop,
      metrics: this.#metrics,
      logger: silentLogger,
      // Upstream reserves no seats.
      bySize: true,
      reservedShare: 0,
    });
    installFlowControlDumps(this.#mux, this.#flowControl);
  }

  async do(action: FlowAction): Promise<object> {
    const changes = action.configure;
    const found =
      changes === undefined
        ? []
        : this.#flowControl
            .configure(changes.levels, changes.schemas, () => {})
            .map(({ flowSchema: { metadata }, condition }) => [metadata.name, condition] as const);
    const flow = this.#change(action);
    this.#takeTurns();
    return {
      conditions: Object.fromEntries(found),
      flow,
      requests: this.#requests.map((one) => (one === undefined ? 'r' : STATES[one.state])).join(''),
      metrics: await this.#values(),
      dumps: await Promise.all(DUMPS.map((dump) => this.#dump(dump))),
    };
  }

  #change({ start, finish, cancel, adjust, pass = 0 }: FlowAction): unknown {
    const at = finish ?? cancel;
    const request = at === undefined ? undefined : this.#requests[at];
    if (start !== undefined) return this.#start(start);
    if (finish !== undefined && request?.state === 'executing') this.#levelOf(request)?.finish(request);
    if (cancel !== undefined && request?.state === 'waiting') this.#levelOf(request)?.cancel(request);
    if (adjust) this.#flowControl.adjust();
    this.#pass(pass);
    return undefined;
  }

  /** Seats become free after some milliseconds. The next request gets its turn at once. */
  #pass(milliseconds: number): void {
    for (let passed = 0; passed < milliseconds; ) {
      const step = passed < LONGEST_LATENCY ? 1 : milliseconds - passed;
      passed += step;
      this.#clock.advanceTo(this.#clock.now() + step);
      this.#takeTurns();
    }
  }

  #takeTurns(): void {
    this.#loop.time = this.#clock.now();
    while (this.#loop.turn());
  }

  #levelOf(request: SeatRequest) {
    return this.#levels.get(request);
  }

  #start({ info, user, initialSeats, finalSeats, latency }: NonNullable<FlowAction['start']>): unknown {
    const exchange = createTestExchange({ method: 'GET', url: '/' });
    const request = { exchange, info, user };
    const classified = this.#flowControl.classify(request);
    const { schema, distinguisher } = classified;
    const estimate = { initialSeats, finalSeats, additionalLatency: latency };
    const seat = this.#flowControl.start({ ...classified, estimate }, request);
    this.#requests.push(seat);
    if (seat !== undefined) this.#levels.set(seat, schema.level.queueSet);
    return [schema.name, schema.level.name, distinguisher, schema.level.maxSeats];
  }

  async #values(): Promise<Record<string, number>> {
    const { text } = await this.#metrics.expose();
    const values: Record<string, number> = {};
    for (const [, name = '', labels = '', value] of text.matchAll(
      /^apiserver_flowcontrol_(\w+)(?:\{(.*)\})? ([^ \n]+)$/gm,
    )) {
      if (/_bucket$|_sum$/.test(name) || TIMED.test(name.replace(/_count$/, ''))) continue;
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => ` ${key}=${text}`).sort();
      values[name.replace(/_count$/, '') + pairs.join('')] = Number(value);
    }
    return values;
  }

  async #dump(path: string): Promise<string> {
    const none = () => ({ type: 'bytes', status: 404, body: undefined }) as const;
    const { body } = await callHandler((asked) => (this.#mux.handlerFor(asked, none) ?? none)(asked), {
      url: `/debug/api_priority_and_fairness/${path}`,
    });
    return body;
  }
}

async function ours({ seats, actions }: FlowCase): Promise<unknown> {
  const control = new OurFlowControl(seats);
  const states: unknown[] = [];
  for (const action of actions) states.push(comparable((await control.do(action)) as State));
  return states;
}

interface State {
  readonly conditions?: Record<string, unknown>;
  readonly flow?: unknown;
  readonly requests: string;
  readonly metrics: Record<string, number>;
  readonly dumps: readonly string[];
}

function comparable({ conditions = {}, flow, requests, metrics, dumps }: State): unknown {
  return {
    conditions: sorted(Object.entries(conditions).map(([name, one]) => [name, withoutTime(one)])),
    flow: flow ?? null,
    requests,
    metrics: sorted(Object.entries(metrics).map(([name, value]) => [name, Number(value.toFixed(6))])),
    dumps: dumps.map(rowsOf),
  };
}

/** Upstream's are patches. */
function withoutTime(one: unknown): unknown {
  const { status, ...rest } = one as { status: { conditions: object[] } | string };
  const condition = typeof status === 'string' ? { ...rest, status } : status.conditions[0];
  const { lastTransitionTime: _, ...shown } = condition as Record<string, unknown>;
  return sorted(Object.entries(shown));
}

function sorted(entries: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The clocks differ, and so does the width of the times. */
function rowsOf(text: string): unknown {
  const [head, ...rows] = text
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .split(/, *(?=\S|$)/)
        .map((cell) => (/^(?!0001)\d{4}-.*Z$/.test(cell) ? 'TIME' : cell.trim()))
        .join(','),
    );
  return [head, ...rows.sort()];
}

describeUpstream('flow control', (upstream) => {
  it('has the flows, limits, queues, dumps and metrics of upstream', () =>
    compareCases<FlowCase, unknown>(upstream(), {
      area: 'flowControl',
      randomCase: randomFlowCase,
      ours,
      theirs: (answer) => (answer as State[]).map(comparable),
      difference: firstDifference,
      mostAsked: 20,
    }));
});

function firstDifference(theirs: unknown, ours: unknown, { actions, seats }: FlowCase): unknown {
  const their = theirs as Record<string, unknown>[];
  const our = ours as Record<string, unknown>[];
  const at = their.findIndex((one, i) => JSON.stringify(one) !== JSON.stringify(our[i]));
  if (at < 0) return undefined;
  const [a = {}, b = {}] = [their[at], our[at]];
  const members = Object.keys(a).filter((key) => JSON.stringify(a[key]) !== JSON.stringify(b[key]));
  const only = (of: Record<string, unknown>, other: Record<string, unknown>) =>
    Object.fromEntries(
      members.map((key) => [
        key,
        key === 'metrics'
          ? Object.fromEntries(
              Object.entries(of[key] as object).filter(([name, value]) => (other[key] as never)[name] !== value),
            )
          : of[key],
      ]),
    );
  return { seats, at, action: actions[at], theirs: only(a, b), ours: only(b, a) };
}
