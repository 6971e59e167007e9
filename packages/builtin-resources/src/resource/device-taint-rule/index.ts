import { DeviceTaintRule } from '@apiserver/api/resource/v1alpha3';
import { DeviceTaintRule as DeviceTaintRuleBeta2 } from '@apiserver/api/resource/v1beta2';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import type { WallClock } from '../../builtin-group.js';
import { sameFields } from '../../same-fields.js';
import { applyTaintTimes } from '../defaults/taint-time.js';
import { deviceTaintRuleColumns } from './columns.js';
import { deviceTaintRuleStrategies } from './strategy.js';

/**
 * DeviceTaintRules: a taint for all devices that a selector matches. Both versions have the same fields. Objects at
 * rest are v1alpha3, which a server of 1.35 reads too.
 * Upstream: NewStorageFactoryConfig of pkg/kubeapiserver/default_storage_factory_builder.go
 */
export function deviceTaintRules(clock: WallClock): ResourceDefinition<DeviceTaintRule> {
  const applyDefaults = ({ spec }: DeviceTaintRule) => applyTaintTimes([spec.taint], clock);
  const strategies = deviceTaintRuleStrategies(clock);
  return defineResource<DeviceTaintRule>({
    versions: [
      { schema: DeviceTaintRuleBeta2, applyDefaults, ...sameFields('resource.k8s.io', 'v1beta2', 'v1alpha3') },
      { schema: DeviceTaintRule, applyDefaults },
    ],
    hubVersion: 'v1alpha3',
    strategy: strategies.main,
    columns: deviceTaintRuleColumns,
    subresources: { status: { strategy: strategies.status } },
    returnDeletedObject: true,
  });
}
