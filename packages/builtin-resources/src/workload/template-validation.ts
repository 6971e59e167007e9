import type { PodTemplateSpec } from '@apiserver/api/core/v1';
import {
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';
import type { LabelSelector } from '@apiserver/apimachinery/selectors';

/** The pods of a template run until they are deleted: their restart policy is Always, and they have no deadline. */
export function validateEndlessTemplate({ spec }: PodTemplateSpec, kind: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const specPath = path.child('spec');
  if (spec.restartPolicy !== 'Always') {
    const policy = printedAsJson(spec.restartPolicy ?? '');
    errors.push(fieldNotSupported(specPath.child('restartPolicy'), policy, ['Always']));
  }
  if (spec.activeDeadlineSeconds !== undefined) {
    const message = `activeDeadlineSeconds in ${kind} is not Supported`;
    errors.push(fieldForbidden(specPath.child('activeDeadlineSeconds'), message));
  }
  return errors;
}

/** The selector must match the template's labels. */
export function validateSelected(
  template: PodTemplateSpec,
  selector: LabelSelector | undefined,
  path: FieldPath,
): FieldError[] {
  const labels = template.metadata.labels ?? {};
  if (selector === undefined || selector.empty || selector.matches(labels)) return [];
  const message = '`selector` does not match template `labels`';
  return [fieldInvalid(path.child('metadata', 'labels'), printedAsJson(template.metadata.labels ?? null), message)];
}

/** The error for a missing required template. */
export function missingTemplate(path: FieldPath): FieldError[] {
  return [fieldRequired(path, '')];
}
