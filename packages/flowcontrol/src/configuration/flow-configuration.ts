import type { FlowSchema, PriorityLevelConfiguration } from '@apiserver/api/flowcontrol/v1';
import type { Logger, RequestInfo, UserInfo } from '@apiserver/apiserver-contracts';
import { catchAllSchema, exemptSchema } from '../bootstrap/flow-schemas.js';
import { catchAllLevel, exemptLevel } from '../bootstrap/priority-levels.js';
import { compareFlowSchemas } from '../classification/compare-flow-schemas.js';
import { type FlowMatcher, flowMatcher } from '../classification/flow-matcher.js';
import { borrowSeats } from '../concurrency/borrow-seats.js';
import { levelLimits, sharesOf } from '../concurrency/level-limits.js';
import type { FlowCounters } from '../metrics/flow-counters.js';
import { changedDanglingCondition, type DanglingCondition } from './dangling-condition.js';
import { levelFault } from './level-fault.js';
import { PriorityLevel, type PriorityLevelOptions } from './priority-level.js';

/** Dependencies of the configuration. */
export interface FlowConfigurationOptions extends PriorityLevelOptions {
  readonly logger: Logger;
}

/** A flow schema in use. */
export interface UsedFlowSchema {
  readonly name: string;
  /** "" for a mandatory one without an object. */
  readonly uid: string;
  readonly level: PriorityLevel;
  readonly levelUid: string;
  readonly distinguisher: 'ByUser' | 'ByNamespace' | undefined;
  readonly counters: FlowCounters;
  readonly matches: FlowMatcher;
}

/** A status to write. */
export interface StatusChange {
  readonly flowSchema: FlowSchema;
  readonly condition: DanglingCondition;
}

/**
 * The levels and flow schemas in use. Objects that cannot be used are ignored, and mandatory ones that are missing are
 * replaced by the built-in ones. A deleted level stays until its last request has ended.
 * Upstream: k8s.io/apiserver/pkg/util/flowcontrol/apf_controller.go
 */
export class FlowConfiguration {
  readonly #options: FlowConfigurationOptions;
  #levels = new Map<string, PriorityLevel>();
  #schemas: readonly UsedFlowSchema[] = [];
  #catchAll: UsedFlowSchema | undefined;
  /** The sum of the nominal limits, which are rounded up. */
  #nominalSum = 0;

  constructor(options: FlowConfigurationOptions) {
    this.#options = options;
    this.digest([], []);
  }

  get levels(): ReadonlyMap<string, PriorityLevel> {
    return this.#levels;
  }

  /** The first flow schema that matches. */
  classify(info: RequestInfo, user: UserInfo): UsedFlowSchema {
    for (const schema of this.#schemas) if (schema.matches(info, user)) return schema;
    if (this.#catchAll === undefined) throw new RangeError('the flow schema catch-all is missing');
    return this.#catchAll;
  }

  /** Takes over all objects at once. Returns the statuses to write. */
  digest(levels: readonly PriorityLevelConfiguration[], schemas: readonly FlowSchema[]): readonly StatusChange[] {
    const next = new Map<string, PriorityLevel>();
    for (const config of levels) this.#takeLevel(config, next);
    const changes = this.#statusChanges(schemas, next);
    const used = schemas.filter(({ spec }) => next.has(spec.priorityLevelConfiguration.name));
    this.#keepBusyLevels(next);
    for (const mandatory of [exemptLevel, catchAllLevel]) {
      if (!next.has(mandatory.metadata.name ?? '')) this.#add(mandatory, next);
    }
    this.#levels = next;
    this.#setLimits();
    this.#useSchemas(used);
    return changes;
  }

  /** Ends a period of the measured demand, and divides the seats by it. */
  adjust(): void {
    const levels = [...this.#levels.values()];
    for (const level of levels) level.measureDemand();
    const items = levels.map(({ isExempt, limits, demand, currentLimit: current }) => ({
      isExempt,
      limits,
      demand,
      current,
    }));
    const { limits, targets, fairFraction, error } = borrowSeats(this.#nominalSum, items);
    if (error !== undefined) this.#options.logger.error(error, 'Unable to derive new concurrency limits');
    this.#options.metrics.fairFraction = fairFraction;
    for (const [i, level] of levels.entries()) this.#setLimit(level, limits[i] ?? 0, targets[i] ?? 0);
  }

  #setLimit(level: PriorityLevel, limit: number, target: number): void {
    const denominator = limit > 0 ? limit : Math.max(1, Math.round(this.#options.seats / 10));
    level.apply(limit, denominator);
    this.#options.metrics.adjusted(level.name, level.demand, { target, current: limit });
  }

  #takeLevel(config: PriorityLevelConfiguration, next: Map<string, PriorityLevel>): void {
    const fault = levelFault(config);
    if (fault !== undefined) {
      const name = config.metadata.name ?? '';
      this.#options.logger.warning('Ignoring a PriorityLevelConfiguration that is broken', { name, err: fault });
      return;
    }
    this.#add(config, next);
  }

  #add(config: PriorityLevelConfiguration, next: Map<string, PriorityLevel>): void {
    const name = config.metadata.name ?? '';
    const level = this.#levels.get(name) ?? new PriorityLevel(config, this.#options);
    level.reconfigure(config);
    level.isQuiescing = false;
    next.set(name, level);
  }

  #statusChanges(schemas: readonly FlowSchema[], levels: ReadonlyMap<string, PriorityLevel>): StatusChange[] {
    return schemas.flatMap((flowSchema) => {
      const exists = levels.has(flowSchema.spec.priorityLevelConfiguration.name);
      const condition = changedDanglingCondition(flowSchema, exists);
      return condition === undefined ? [] : [{ flowSchema, condition }];
    });
  }

  /** Mandatory levels keep their last configuration. */
  #keepBusyLevels(next: Map<string, PriorityLevel>): void {
    const mandatory = [exemptLevel, catchAllLevel].map(({ metadata }) => metadata.name);
    for (const [name, level] of this.#levels) {
      if (next.has(name)) continue;
      const isMandatory = mandatory.includes(name);
      if (!isMandatory && level.queueSet.isIdle) continue;
      level.isQuiescing = !isMandatory;
      next.set(name, level);
    }
  }

  #setLimits(): void {
    const levels = [...this.#levels.values()];
    const { seats, metrics } = this.#options;
    const shareSum = levels.reduce((sum, { config }) => sum + sharesOf(config.spec), 0);
    this.#nominalSum = 0;
    for (const level of levels) {
      level.limits = levelLimits(level.config.spec, seats, shareSum);
      this.#nominalSum += level.limits.nominal;
      metrics.configured(level.name, level.limits);
    }
    this.#setReadWriteDenominators(levels);
    this.adjust();
  }

  #setReadWriteDenominators(levels: readonly PriorityLevel[]): void {
    const { readWrite } = this.#options.metrics;
    const now = this.#options.now();
    const room = levels.reduce((sum, { config }) => {
      const { queues = 0, queueLengthLimit = 0 } = config.spec.limited?.limitResponse.queuing ?? {};
      return sum + queues * queueLengthLimit;
    }, 0);
    for (const kind of ['readOnly', 'mutating'] as const) {
      readWrite.waiting[kind].setDenominator(Math.max(1, room), now);
      readWrite.executing[kind].setDenominator(Math.max(1, this.#nominalSum), now);
    }
  }

  #useSchemas(schemas: readonly FlowSchema[]): void {
    const has = (wanted: FlowSchema) => schemas.some(({ metadata }) => metadata.name === wanted.metadata.name);
    const sorted = schemas.toSorted(compareFlowSchemas);
    const complete = [
      ...(has(exemptSchema) ? [] : [exemptSchema]),
      ...sorted,
      ...(has(catchAllSchema) ? [] : [catchAllSchema]),
    ];
    this.#schemas = complete.flatMap((schema) => this.#usedSchema(schema));
    this.#catchAll = this.#schemas.find(({ name }) => name === catchAllSchema.metadata.name);
  }

  #usedSchema(schema: FlowSchema): UsedFlowSchema[] {
    const { metadata, spec } = schema;
    const level = this.#levels.get(spec.priorityLevelConfiguration.name);
    if (level === undefined) return [];
    const name = metadata.name ?? '';
    const method = spec.distinguisherMethod?.type;
    const distinguisher = method === 'ByUser' || method === 'ByNamespace' ? method : undefined;
    const matches = flowMatcher(schema);
    const counters = level.counters(name);
    const levelUid = level.config.metadata.uid ?? '';
    return [{ name, uid: metadata.uid ?? '', level, levelUid, distinguisher, counters, matches }];
  }
}
