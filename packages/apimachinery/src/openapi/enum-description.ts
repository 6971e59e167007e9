/** As much of the schema of a text as this looks at. */
interface EnumSchema {
  readonly enum?: readonly unknown[] | undefined;
}

/**
 * A description with the values of the field's type listed after it, as upstream shows them. `listed`: what stands behind
 * the description, where that is known; else the values are named, without what they mean.
 *
 * Upstream: k8s.io/kube-openapi/pkg/generators/enum.go
 */
export function enumDescription(text = '', { enum: values = [] }: EnumSchema, listed?: string): string {
  if (listed !== undefined) return text + listed;
  const names = `Possible enum values:\n${values.map((value) => ` - \`${JSON.stringify(value)}\``).join('\n')}`;
  return text === '' ? names : `${text}\n\n${names}`;
}
