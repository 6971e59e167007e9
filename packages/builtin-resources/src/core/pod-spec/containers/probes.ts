import {
  type HTTPGetAction,
  type Lifecycle,
  type LifecycleHandler,
  type PodSpec,
  type Probe,
  Signal,
  type SleepAction,
} from '@apiserver/api/core/v1';
import {
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { isHTTPHeaderName, validateNonnegative } from '@apiserver/apimachinery/validation';
import { validateEnum } from '../../../validation/enum-field.js';
import { validatePortNumOrName } from '../../validation/port-reference.js';
import { validateRequired } from '../../validation/required-field.js';

/** The actions of a kubelet's probe or lifecycle hook. */
type Handler = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'> & Pick<LifecycleHandler, 'sleep'>;

/** The grace period of the pod in seconds; undefined if it is missing, which is a separate fault. */
type GracePeriod = number | bigint | undefined;

const HTTP_SCHEMES = ['HTTP', 'HTTPS'];

/** All that the API knows, in the order of messages. */
const LINUX_SIGNALS = (Signal.enum ?? []).map(String);

/** Validates the three probes of a container. */
export function validateProbes(
  container: { readonly livenessProbe?: Probe; readonly readinessProbe?: Probe; readonly startupProbe?: Probe },
  gracePeriod: GracePeriod,
  path: FieldPath,
): FieldError[] {
  const { livenessProbe, readinessProbe, startupProbe } = container;
  return [
    ...validateDecidingProbe(livenessProbe, gracePeriod, path.child('livenessProbe')),
    ...validateReadinessProbe(readinessProbe, gracePeriod, path.child('readinessProbe')),
    ...validateDecidingProbe(startupProbe, gracePeriod, path.child('startupProbe')),
  ];
}

/**
 * Liveness and startup probes must have a success threshold of 1.
 * Upstream: validateLivenessProbe of pkg/apis/core/validation/validation.go
 */
function validateDecidingProbe(probe: Probe | undefined, gracePeriod: GracePeriod, path: FieldPath): FieldError[] {
  if (probe === undefined) return [];
  const errors = validateProbe(probe, gracePeriod, path);
  const { successThreshold = 0 } = probe;
  if (successThreshold !== 1) {
    errors.push(fieldInvalid(path.child('successThreshold'), successThreshold, 'must be 1'));
  }
  return errors;
}

function validateReadinessProbe(probe: Probe | undefined, gracePeriod: GracePeriod, path: FieldPath): FieldError[] {
  if (probe === undefined) return [];
  const errors = validateProbe(probe, gracePeriod, path);
  const seconds = probe.terminationGracePeriodSeconds;
  if (seconds !== undefined) {
    const place = path.child('terminationGracePeriodSeconds');
    errors.push(fieldInvalid(place, seconds, 'must not be set for readinessProbes'));
  }
  return errors;
}

const PROBE_COUNTS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

function validateProbe(probe: Probe, gracePeriod: GracePeriod, path: FieldPath): FieldError[] {
  const errors = [
    ...validateHandler(probe, gracePeriod, path),
    ...PROBE_COUNTS.flatMap((field) => validateNonnegative(probe[field] ?? 0, path.child(field))),
  ];
  const seconds = probe.terminationGracePeriodSeconds;
  if (seconds !== undefined && seconds <= 0) {
    errors.push(fieldInvalid(path.child('terminationGracePeriodSeconds'), seconds, 'must be greater than 0'));
  }
  return errors;
}

/** Upstream: validateLifecycle */
export function validateLifecycle(lifecycle: Lifecycle, spec: PodSpec, path: FieldPath): FieldError[] {
  const { stopSignal } = lifecycle;
  return [
    ...(['postStart', 'preStop'] as const).flatMap((field) => {
      const handler = lifecycle[field];
      return handler === undefined
        ? []
        : validateHandler(handler, spec.terminationGracePeriodSeconds, path.child(field));
    }),
    ...(stopSignal === undefined ? [] : validateStopSignal(stopSignal, spec.os?.name, path.child('stopSignal'))),
  ];
}

const WINDOWS_SIGNALS = ['SIGKILL', 'SIGTERM'];

/** Only a pod with a known system has signals. Another name of a system is a separate fault. */
function validateStopSignal(signal: string, os: string | undefined, path: FieldPath): FieldError[] {
  if (os === undefined) return [fieldForbidden(path, 'may not be set for containers with empty `spec.os.name`')];
  if (os === 'windows') return validateEnum(signal, WINDOWS_SIGNALS, path);
  return os === 'linux' ? validateEnum(signal, LINUX_SIGNALS, path) : [];
}

/** Upstream: validateHandler */
function validateHandler(handler: Handler, gracePeriod: GracePeriod, path: FieldPath): FieldError[] {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  const found: (readonly [string, (place: FieldPath) => FieldError[]])[] = [];
  if (exec) found.push(['exec', (place) => validateRequired(exec.command, place.child('command'))]);
  if (httpGet) found.push(['httpGet', (place) => validateHTTPGet(httpGet, place)]);
  if (tcpSocket) found.push(['tcpSocket', (place) => validatePortNumOrName(tcpSocket.port, place.child('port'))]);
  if (grpc) found.push(['grpc', (place) => validatePortNumOrName(grpc.port, place.child('port'))]);
  if (sleep) found.push(['sleep', (place) => validateSleep(sleep, gracePeriod, place)]);
  if (found.length === 0) return [fieldRequired(path, 'must specify a handler type')];
  return found.flatMap(([name, validate], i) => {
    const place = path.child(name);
    return i === 0 ? validate(place) : [fieldForbidden(place, 'may not specify more than 1 handler type')];
  });
}

function validateHTTPGet(action: HTTPGetAction, path: FieldPath): FieldError[] {
  return [
    ...validateRequired(action.path, path.child('path')),
    ...validatePortNumOrName(action.port, path.child('port')),
    ...validateEnum(action.scheme ?? '', HTTP_SCHEMES, path.child('scheme')),
    ...(action.httpHeaders ?? []).flatMap(({ name }) =>
      isHTTPHeaderName(name).map((fault) => fieldInvalid(path.child('httpHeaders'), name, fault)),
    ),
  ];
}

function validateSleep({ seconds }: SleepAction, gracePeriod: GracePeriod, path: FieldPath): FieldError[] {
  if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return [];
  const message = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`;
  return [fieldInvalid(path, seconds, message)];
}
