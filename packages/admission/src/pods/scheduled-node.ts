import type { Node, Pod } from '@apiserver/api/core/v1';
import { quote } from '@apiserver/apimachinery/text';
import type { AdmissionAttributes, Informer } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../admitted-object.js';
import { newAdmissionForbidden } from '../forbidden.js';

/** The node of a scheduled pod. Throws 403 if the informer lacks it. */
export function scheduledNode(attributes: AdmissionAttributes, nodes: Informer<Node>): Node {
  const { nodeName = '' } = admittedObject<Pod>(attributes).spec;
  const node = nodes.get('', nodeName);
  if (node === undefined) throw newAdmissionForbidden(attributes, `node ${quote(nodeName)} not found`);
  return node;
}
