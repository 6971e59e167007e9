import type { ContainerPort, PodSpec } from '@apiserver/api/core/v1';
import type { FieldPath } from '@apiserver/apimachinery/field';
import { containersWithPath } from '../visit-containers.js';

/** How many warnings of ports are made: an answer has room for fewer than a hundred, and each pair of ports may clash. */
const MAX_WARNINGS = 1000;

/** A port and where it stands. */
interface Placed {
  readonly port: ContainerPort;
  readonly path: FieldPath;
}

/**
 * Ports of a pod, over all its containers, that may not do what was meant.
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
 * The ports before one, by what clashes with it: a pod of 3 MiB has 150,000 ports, too many to compare all with all. Those clash
 * that have its container port and protocol, unless both have a host port, and those or their addresses differ.
 */
class SeenPorts {
  readonly #ports: Placed[] = [];
  /** Indexes of the ports of each description. */
  readonly #byKey = new Map<string, number[]>();

  add(placed: Placed): void {
    for (const key of describedAs(placed.port)) {
      const same = this.#byKey.get(key);
      if (same === undefined) this.#byKey.set(key, [this.#ports.length]);
      else same.push(this.#ports.length);
    }
    this.#ports.push(placed);
  }

  /** The first of them, in their order. */
  clashing(port: ContainerPort): readonly Placed[] {
    const indexes = clashesWith(port).flatMap((key) => this.#byKey.get(key)?.slice(0, MAX_WARNINGS) ?? []);
    return indexes.sort((a, b) => a - b).map((i) => this.#ports[i] as Placed);
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

/** Of two ports that are the same inside of the pod. */
function clashWarnings(port: ContainerPort, path: FieldPath, { port: other, path: otherPath }: Placed): string[] {
  const warning = (what: string) => [`${path}: ${what} port definition with ${otherPath}`];
  const [hostPort, otherPort] = [port.hostPort ?? 0, other.hostPort ?? 0];
  const [hostIP, otherIP] = [port.hostIP ?? '', other.hostIP ?? ''];
  if (hostIP === otherIP && hostPort === otherPort) return warning('duplicate');
  if (hostPort === 0 || otherPort === 0) return warning('overlapping');
  const isAmbiguous = hostPort === otherPort && (hostIP === '') !== (otherIP === '');
  return isAmbiguous ? warning('dangerously ambiguous') : [];
}
