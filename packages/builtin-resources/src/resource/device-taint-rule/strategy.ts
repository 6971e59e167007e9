import { type DeviceTaintRule, DeviceTaintRuleSpec } from '@apiserver/api/resource/v1alpha3';
import { cloneJson } from '@apiserver/apimachinery/json';
import { formatTime } from '@apiserver/apimachinery/values';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange, restoreForStatus } from '@apiserver/resource-kit';
import type { WallClock } from '../../builtin-group.js';
import {
  validateDeviceTaintRule,
  validateDeviceTaintRuleStatusUpdate,
  validateDeviceTaintRuleUpdate,
} from './validation.js';

/** Strategies of the main and the status endpoint. */
export interface DeviceTaintRuleStrategies {
  readonly main: Strategy<DeviceTaintRule>;
  readonly status: Strategy<DeviceTaintRule>;
}

/** The clock sets the time of a changed effect. Upstream: pkg/registry/resource/devicetaintrule/strategy.go */
export function deviceTaintRuleStrategies(clock: WallClock): DeviceTaintRuleStrategies {
  const main: Strategy<DeviceTaintRule> = {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    resetFields: ['status'],
    prepareForCreate(_context, rule) {
      rule.status = {};
      rule.metadata.generation = 1;
    },
    validate: (_context, rule) => validateDeviceTaintRule(rule),
    prepareForUpdate(_context, rule, old) {
      rule.status = cloneJson(old.status);
      renewTaintTime(rule, old, clock);
      countSpecChange(rule, old, DeviceTaintRuleSpec);
    },
    validateUpdate: (_context, rule, old) => validateDeviceTaintRuleUpdate(rule, old),
  };
  const status: Strategy<DeviceTaintRule> = {
    ...main,
    resetFields: ['metadata', 'spec'],
    prepareForUpdate: (_context, rule, old) => restoreForStatus(rule, old),
    validateUpdate: (_context, rule, old) => validateDeviceTaintRuleStatusUpdate(rule, old),
  };
  return { main, status };
}

/** Another effect begins now, unless the client sets another time for it. Mutates `rule`. */
function renewTaintTime({ spec: { taint } }: DeviceTaintRule, old: DeviceTaintRule, clock: WallClock): void {
  const before = old.spec.taint;
  if (taint.effect !== before.effect && taint.timeAdded === before.timeAdded) taint.timeAdded = formatTime(clock.now());
}
