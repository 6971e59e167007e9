import type { ContainerPort, PodSpec } from '@apiserver/api/core/v1';
import type { FieldPath } from '@apiserver/apimachinery';

/** A port and where it stands. */
type Placed = readonly [ContainerPort, FieldPath];

/** Ports of a pod that may not do what was meant. Upstream: checks of ports in warningsForPodSpecAndMeta, pkg/api/pod/warnings.go */
export function portWarnings(spec: PodSpec, path: FieldPath): readonly string[] {
  const seen: Placed[] = [];
  return (spec.containers ?? []).flatMap(({ ports = [] }, i) =>
    ports.flatMap((port, j) => {
      const place = path.child('containers').index(i).child('ports').index(j);
      const warnings: string[] = [];
      if (port.hostIP && !port.hostPort)
        warnings.push(`${place}: hostIP set without hostPort: ${JSON.stringify(port)}`);
      const other = seen.find(([known]) => overlap(known, port));
      if (other !== undefined) warnings.push(`${place}: ${howTheyOverlap(other[0], port)} with ${other[1]}`);
      seen.push([port, place]);
      return warnings;
    }),
  );
}

function overlap(a: ContainerPort, b: ContainerPort): boolean {
  if (a.containerPort !== b.containerPort || protocolOf(a) !== protocolOf(b)) return false;
  if (!a.hostPort || !b.hostPort) return true;
  return a.hostPort === b.hostPort && (!a.hostIP || !b.hostIP || a.hostIP === b.hostIP);
}

function howTheyOverlap(a: ContainerPort, b: ContainerPort): string {
  if ((a.hostPort ?? 0) === (b.hostPort ?? 0) && (a.hostIP ?? '') === (b.hostIP ?? ''))
    return 'duplicate port definition';
  return a.hostPort && b.hostPort ? 'dangerously ambiguous port definition' : 'overlapping port definition';
}

function protocolOf({ protocol = 'TCP' }: ContainerPort): string {
  return protocol;
}
