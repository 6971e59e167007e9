import type { ContainerPort, PodSpec } from '@apiserver/api/core/v1';
import type { FieldPath } from '@apiserver/apimachinery/field';
import { containersWithPath } from '../visit-containers.js';

/**
 * Maximum number of port warnings: a response has room for fewer than a hundred, and each pair of ports may conflict.
 */
const MAX_WARNINGS = 1000;

/** A port with its path. */
interface Placed {
  readonly port: ContainerPort;
  readonly path: FieldPath;
}

/**
 * Warnings about conflicting ports of all containers of a pod.
 * Upstream: checks of ports in warningsForPodSpecAndMeta, pkg/api/pod/warnings.go
 */
export function portWarnings(spec: PodSpec, path: FieldPath): readonly string[] {
  const seen = new SeenPorts();
  const warnings: string[] = [];
  for (const [{ ports = [] }, place] of containersWithPath(spec, path)) {
    for (const [i, port] of ports.entries()) {
      if (warnings.length >= MAX_WARNINGS) return warnings;
      const at = place.child('ports').index(i);
      warnings.push(...hostAddressWarnings(port, at));
      for (const other of seen.clashing(port)) warnings.push(...clashWarnings(port, at, other));
      seen.add({ port, path: at });
    }
  }
  return warnings;
}

/**
 * The earlier ports, indexed by what conflicts: a pod of 3 MiB has 150,000 ports, too many to compare all pairs.
 * Ports with the same container port and protocol conflict, unless both have host ports that differ in number or
 * address.
 */
class SeenPorts {
  readonly #ports: Placed[] = [];
  /** Indexes of the ports by key. */
  readonly #byKey = new Map<string, number[]>();

  add(placed: Placed): void {
    for (const key of describedAs(placed.port)) {
      const same = this.#byKey.get(key);
      if (same === undefined) this.#byKey.set(key, [this.#ports.length]);
      else same.push(this.#ports.length);
    }
    this.#ports.push(placed);
  }

  /** The first conflicting ports, in order. */
  clashing(port: ContainerPort): readonly Placed[] {
    const indexes = clashesWith(port).flatMap((key) => this.#byKey.get(key)?.slice(0, MAX_WARNINGS) ?? []);
    return indexes.sort((a, b) => a - b).flatMap((i) => this.#ports[i] ?? []);
  }
}

function describedAs(port: ContainerPort): readonly string[] {
  const own = ownKey(port);
  const { hostPort = 0, hostIP = '' } = port;
  return [own, ...(hostPort === 0 ? [] : [`${own}/${hostPort}`]), `${own}/${hostPort}/${hostPort === 0 ? '' : hostIP}`];
}

function clashesWith(port: ContainerPort): readonly string[] {
  const own = ownKey(port);
  const { hostPort = 0, hostIP = '' } = port;
  if (hostPort === 0) return [own];
  if (hostIP === '') return [`${own}/0/`, `${own}/${hostPort}`];
  return [`${own}/0/`, `${own}/${hostPort}/`, `${own}/${hostPort}/${hostIP}`];
}

function ownKey({ containerPort, protocol = '' }: ContainerPort): string {
  return `${containerPort}/${protocol}`;
}

function hostAddressWarnings(port: ContainerPort, path: FieldPath): string[] {
  const { name = '', hostPort = 0, containerPort, protocol = '', hostIP = '' } = port;
  if (hostIP === '' || hostPort !== 0) return [];
  const printed = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
  return [`${path}: hostIP set without hostPort: ${printed}`];
}

/** Warnings about two ports that are the same inside the pod. */
function clashWarnings(port: ContainerPort, path: FieldPath, { port: other, path: otherPath }: Placed): string[] {
  const warning = (what: string) => [`${path}: ${what} port definition with ${otherPath}`];
  const [hostPort, otherPort] = [port.hostPort ?? 0, other.hostPort ?? 0];
  const [hostIP, otherIP] = [port.hostIP ?? '', other.hostIP ?? ''];
  if (hostIP === otherIP && hostPort === otherPort) return warning('duplicate');
  if (hostPort === 0 || otherPort === 0) return warning('overlapping');
  const isAmbiguous = hostPort === otherPort && (hostIP === '') !== (otherIP === '');
  return isAmbiguous ? warning('dangerously ambiguous') : [];
}
