import { type IPAddress, ParentReference } from '@apiserver/api/networking/v1';
import { type FieldError, FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { isDNS1123Subdomain, validateImmutableField } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { ipFaults } from '../../core/validation/ip-fields.js';
import { goForm } from '../../text/go-form.js';
import { validateSegment } from '../../validation/path-segment.js';

const PARENT = FieldPath.of('spec', 'parentRef');

/** Upstream: ValidateIPAddress of pkg/apis/networking/validation/validation.go */
export function validateIPAddress({ metadata, spec: { parentRef } }: IPAddress): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: false, validateName: ipFaults }),
    ...(parentRef === undefined ? [fieldRequired(PARENT, '')] : validateParent(parentRef)),
  ];
}

/** Upstream: ValidateIPAddressUpdate */
export function validateIPAddressUpdate({ metadata, spec }: IPAddress, old: IPAddress): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...validateImmutableField(spec.parentRef, old.spec.parentRef, PARENT, printedParent(spec.parentRef)),
  ];
}

/** The group may be empty, for the core group; so may the namespace, for cluster-scoped parents. */
function validateParent({ group = '', resource = '', namespace = '', name = '' }: ParentReference): FieldError[] {
  const groupPath = PARENT.child('group');
  return [
    ...(group === '' ? [] : isDNS1123Subdomain(group).map((fault) => fieldInvalid(groupPath, group, fault))),
    ...validateSegment(resource, PARENT.child('resource')),
    ...validateSegment(name, PARENT.child('name')),
    ...(namespace === '' ? [] : validateSegment(namespace, PARENT.child('namespace'))),
  ];
}

function printedParent(parent: ParentReference | undefined): unknown {
  return parent === undefined ? null : goForm(ParentReference, parent);
}
