import { type DeclType, listDecl } from '../kubernetes/decl-type.js';
import { type CelType, DYN, mapOf } from '../types/cel-type.js';

const UNBOUNDED = -1;

/**
 * The type that expressions see of a variable. Types that only functions look into are dynamic.
 *
 * Upstream: convertCelTypeToDeclType in k8s.io/apiserver/pkg/admission/plugin/cel/composition.go
 */
export function variableType(type: CelType): DeclType {
  const [first = DYN, second = DYN] = type.parameters;
  switch (type.kind) {
    case 'list':
      return listDecl(variableType(first), UNBOUNDED);
    case 'map': {
      const element = variableType(second);
      const key = variableType(first);
      return { type: mapOf(key.type, element.type), maxElements: UNBOUNDED, minSize: 2, element };
    }
    case 'opaque':
    case 'struct':
    case 'type':
      return { type: DYN, minSize: 1 };
    default:
      return { type, minSize: 1 };
  }
}
