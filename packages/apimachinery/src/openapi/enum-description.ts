/** The members of a string schema that this module reads. */
interface EnumSchema {
  readonly enum?: readonly unknown[] | undefined;
}

/**
 * A description followed by the values of the field's type, as upstream shows them. `listed`: the text after the
 * description, if known; otherwise the values are listed without their meanings.
 *
 * Upstream: k8s.io/kube-openapi/pkg/generators/enum.go
 */
export function enumDescription(text = '', { enum: values = [] }: EnumSchema, listed?: string): string {
  if (listed !== undefined) return text + listed;
  const names = `Possible enum values:\n${values.map((value) => ` - \`${JSON.stringify(value)}\``).join('\n')}`;
  return text === '' ? names : `${text}\n\n${names}`;
}
