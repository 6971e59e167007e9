import type { IPBlock, NetworkPolicy, NetworkPolicyPeer } from '@apiserver/api/networking/v1';
import { FieldPath } from '@apiserver/apimachinery/field';

/** A position of peers in a policy. */
export interface PlacedPeer {
  readonly peer: NetworkPolicyPeer;
  readonly path: FieldPath;
}

const SPEC = FieldPath.of('spec');

/** Every peer of a policy's rules, those of ingress first. */
export function peersOf({ spec }: NetworkPolicy): PlacedPeer[] {
  const ingress = (spec.ingress ?? []).map(({ from = [] }, i) => ({
    peers: from,
    path: SPEC.child('ingress').index(i).child('from'),
  }));
  const egress = (spec.egress ?? []).map(({ to = [] }, i) => ({
    peers: to,
    path: SPEC.child('egress').index(i).child('to'),
  }));
  return [...ingress, ...egress].flatMap(({ peers, path }) => peers.map((peer, i) => ({ peer, path: path.index(i) })));
}

/** The networks of a block. */
export function cidrsOf({ cidr, except = [] }: IPBlock): readonly string[] {
  return [cidr, ...except];
}
