/** Types with a JSON form of their own: the schema value that models them and their TypeScript type. */
export const SPECIAL_TYPES: Readonly<
  Record<string, { readonly schema: string; readonly type: string; readonly zeroIsNull: boolean }>
> = {
  'k8s.io/apimachinery/pkg/api/resource.Quantity': { schema: 'QUANTITY', type: 'string', zeroIsNull: false },
  'k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1': { schema: 'FIELDS_V1', type: 'JsonObject', zeroIsNull: true },
  'k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime': { schema: 'MICRO_TIME', type: 'string', zeroIsNull: true },
  'k8s.io/apimachinery/pkg/apis/meta/v1.Time': { schema: 'TIME', type: 'string', zeroIsNull: true },
  'k8s.io/apimachinery/pkg/apis/meta/v1.Duration': { schema: 'DURATION', type: 'string', zeroIsNull: false },
  'k8s.io/apimachinery/pkg/runtime.RawExtension': { schema: 'RAW_EXTENSION', type: 'Json', zeroIsNull: true },
  'k8s.io/apimachinery/pkg/runtime.Unknown': { schema: 'UNKNOWN', type: 'Json', zeroIsNull: true },
  'k8s.io/apimachinery/pkg/util/intstr.IntOrString': {
    schema: 'INT_OR_STRING',
    type: 'number | string',
    zeroIsNull: false,
  },
  'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON': {
    schema: 'JSON_VALUE',
    type: 'Json',
    zeroIsNull: true,
  },
  'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1.JSON': {
    schema: 'JSON_VALUE',
    type: 'Json',
    zeroIsNull: true,
  },
};

/** Alternatives to a schema in a JSONSchemaPropsOr… type, by the end of its name. */
export const SCHEMA_OR: Readonly<
  Record<string, { readonly alternative: string; readonly type: (props: string) => string }>
> = {
  JSONSchemaPropsOrArray: { alternative: 'array', type: (props) => `${props} | ${props}[]` },
  JSONSchemaPropsOrBool: { alternative: 'bool', type: (props) => `${props} | boolean` },
  JSONSchemaPropsOrStringArray: { alternative: 'stringArray', type: (props) => `${props} | string[]` },
};

/** Types that apimachinery writes by hand because every ring below needs them. */
export const SHARED_TYPES: readonly string[] = ['ListMeta', 'ManagedFieldsEntry', 'ObjectMeta', 'OwnerReference'];
