import type {
  Container,
  EphemeralContainer,
  HTTPGetAction,
  Lifecycle,
  ObjectFieldSelector,
  Probe,
} from '@apiserver/api/core/v1';
import { roundUpRequirements } from '../../resource-amounts.js';
import { imageTag } from './image-reference.js';

/**
 * The defaults of one container. Mutates.
 * Upstream: SetDefaults_Container and what runs for its fields, of pkg/apis/core/v1/defaults.go
 */
export function applyContainerDefaults(container: Container | EphemeralContainer): void {
  container.imagePullPolicy ||= pullPolicyFor(container.image ?? '');
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
  roundUpRequirements(container.resources);
  for (const { valueFrom } of container.env ?? []) applyFieldRefDefaults(valueFrom?.fieldRef);
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe !== undefined) applyProbeDefaults(probe);
  }
  applyLifecycleDefaults(container.lifecycle);
}

/** An image with a mutable tag is always pulled. */
export function pullPolicyFor(image: string): string {
  return imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent';
}

/** The default apiVersion of a field is v1. Mutates. Upstream: SetDefaults_ObjectFieldSelector */
export function applyFieldRefDefaults(selector: ObjectFieldSelector | undefined): void {
  if (selector !== undefined) selector.apiVersion ||= 'v1';
}

function applyProbeDefaults(probe: Probe): void {
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  applyHTTPGetDefaults(probe.httpGet);
}

function applyLifecycleDefaults(lifecycle: Lifecycle | undefined): void {
  applyHTTPGetDefaults(lifecycle?.postStart?.httpGet);
  applyHTTPGetDefaults(lifecycle?.preStop?.httpGet);
}

function applyHTTPGetDefaults(action: HTTPGetAction | undefined): void {
  if (action === undefined) return;
  action.path ||= '/';
  action.scheme ||= 'HTTP';
}
