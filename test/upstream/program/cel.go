package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

// ruleBudget is the most cost of one rule.
const ruleBudget = 1_000_000

var celBase = environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())

// ruleEnvironment has self and oldSelf of the type of a schema.
type ruleEnvironment struct {
	env        *cel.Env
	structural *structuralschema.Structural
	sizes      *library.CostEstimator
}

// ruleEnvironments by schema; a soak makes a few hundred.
var ruleEnvironments = map[string]*ruleEnvironment{}

type celQuestion struct {
	Schema     json.RawMessage `json:"schema"`
	Optional   bool            `json:"optionalOldSelf"`
	Root       bool            `json:"resourceRoot"`
	Expression string          `json:"expression"`
	Self       json.RawMessage `json:"self"`
	OldSelf    json.RawMessage `json:"oldSelf"`
}

type celAnswer struct {
	CompileError  string        `json:"compileError,omitempty"`
	Type          string        `json:"type,omitempty"`
	EstimatedCost *celCosts     `json:"estimatedCost,omitempty"`
	ProgramError  string        `json:"programError,omitempty"`
	Value         *writtenValue `json:"value,omitempty"`
	Error         string        `json:"error,omitempty"`
	Cost          string        `json:"cost,omitempty"`
	Panics        string        `json:"panics,omitempty"`
}

type celCosts struct {
	Min string `json:"min"`
	Max string `json:"max"`
}

type writtenValue struct {
	Type  string `json:"t"`
	Value any    `json:"v"`
}

// askCel compiles and evaluates a rule.
func askCel(question json.RawMessage) (answer any, err error) {
	var asked celQuestion
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	rules, err := ruleEnvironmentOf(asked)
	if err != nil {
		return nil, err
	}
	defer func() {
		if fault := recover(); fault != nil {
			answer = celAnswer{Panics: fmt.Sprint(fault)}
		}
	}()
	variables, err := rules.variables(asked)
	if err != nil {
		return nil, err
	}
	return rules.evaluate(asked.Expression, variables), nil
}

func ruleEnvironmentOf(asked celQuestion) (*ruleEnvironment, error) {
	schema := asked.Schema
	key := fmt.Sprint(asked.Optional, asked.Root, string(schema))
	if known, ok := ruleEnvironments[key]; ok {
		return known, nil
	}
	var props apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(schema, &props); err != nil {
		return nil, err
	}
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&props, internal, nil); err != nil {
		return nil, err
	}
	structural, err := structuralschema.NewStructural(internal)
	if err != nil {
		return nil, err
	}
	if asked.Root {
		structural = model.WithTypeAndObjectMeta(structural)
	}
	declared := model.SchemaDeclType(structural, asked.Root)
	if declared == nil {
		return nil, fmt.Errorf("no type: %s", schema)
	}
	declared = declared.MaybeAssignTypeName("selfTypeN")
	old := declared.CelType()
	if asked.Optional {
		old = types.NewOptionalType(old)
	}
	set, err := celBase.Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable("self", declared.CelType()), cel.Variable("oldSelf", old)},
		DeclTypes:         []*apiservercel.DeclType{declared},
	})
	if err != nil {
		return nil, err
	}
	made := &ruleEnvironment{set.NewExpressionsEnv(), structural, &library.CostEstimator{SizeEstimator: declaredSizes{declared}}}
	ruleEnvironments[key] = made
	return made, nil
}

func (r *ruleEnvironment) variables(asked celQuestion) (map[string]any, error) {
	variables := map[string]any{}
	bound := func(raw json.RawMessage) (ref.Val, error) {
		var value any
		if err := utiljson.Unmarshal(raw, &value); err != nil {
			return nil, err
		}
		return schemacel.UnstructuredToVal(value, r.structural), nil
	}
	self, err := bound(asked.Self)
	if err != nil {
		return nil, err
	}
	variables["self"] = self
	if asked.Optional {
		variables["oldSelf"] = types.OptionalNone
	}
	if asked.OldSelf == nil {
		return variables, nil
	}
	old, err := bound(asked.OldSelf)
	if err != nil {
		return nil, err
	}
	variables["oldSelf"] = old
	if asked.Optional {
		variables["oldSelf"] = types.OptionalOf(old)
	}
	return variables, nil
}

func (r *ruleEnvironment) evaluate(expression string, variables map[string]any) celAnswer {
	return evaluate(r.env, expression, r.sizes, variables, cel.CostLimit(ruleBudget), cel.CostTracking(r.sizes))
}

// evaluate compiles an expression, estimates its cost by the sizes, and evaluates it with further options.
func evaluate(env *cel.Env, expression string, sizes checker.CostEstimator, variables map[string]any, options ...cel.ProgramOption) celAnswer {
	ast, issues := env.Compile(expression)
	if issues != nil {
		return celAnswer{CompileError: issues.String()}
	}
	answer := celAnswer{Type: ast.OutputType().String()}
	if cost, err := env.EstimateCost(ast, sizes); err == nil {
		answer.EstimatedCost = &celCosts{strconv.FormatUint(cost.Min, 10), strconv.FormatUint(cost.Max, 10)}
	}
	program, err := env.Program(ast, append(options, cel.InterruptCheckFrequency(100))...)
	if err != nil {
		answer.ProgramError = err.Error()
		return answer
	}
	value, details, err := program.ContextEval(context.Background(), variables)
	if details != nil && details.ActualCost() != nil {
		answer.Cost = strconv.FormatUint(*details.ActualCost(), 10)
	}
	if err != nil {
		answer.Error = err.Error()
		return answer
	}
	written := writtenOf(value)
	answer.Value = &written
	return answer
}

// declaredSizes finds the bounds that a schema declares along a path from its root.
type declaredSizes struct{ root *apiservercel.DeclType }

func (d declaredSizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

func (d declaredSizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	path := element.Path()
	if len(path) == 0 {
		return nil
	}
	at := d.root
	for _, step := range path[1:] {
		if at = stepInto(at, step); at == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Max: uint64(at.MaxElements)}
}

func stepInto(declared *apiservercel.DeclType, step string) *apiservercel.DeclType {
	switch step {
	case "@items", "@values":
		return declared.ElemType
	case "@keys":
		return declared.KeyType
	}
	if field, ok := declared.Fields[step]; ok {
		return field.Type
	}
	return nil
}

// writtenOf is a value in the form of recordedValue of @apiserver/cel.
func writtenOf(value ref.Val) writtenValue {
	switch found := value.(type) {
	case types.Bool:
		return writtenValue{"bool", bool(found)}
	case types.Int:
		return writtenValue{"int", strconv.FormatInt(int64(found), 10)}
	case types.Uint:
		return writtenValue{"uint", strconv.FormatUint(uint64(found), 10)}
	case types.Double:
		return writtenValue{"double", strconv.FormatFloat(float64(found), 'g', -1, 64)}
	case types.String:
		return writtenValue{"string", string(found)}
	case types.Bytes:
		return writtenValue{"bytes", base64.StdEncoding.EncodeToString(found)}
	case types.Null:
		return writtenValue{"null", nil}
	case types.Timestamp:
		return writtenValue{"timestamp", found.UTC().Format(time.RFC3339Nano)}
	case types.Duration:
		return writtenValue{"duration", strconv.FormatInt(int64(found.Duration), 10) + "ns"}
	case *types.Optional:
		if !found.HasValue() {
			return writtenValue{"optional", nil}
		}
		return writtenValue{"optional", writtenOf(found.GetValue())}
	case ref.Type:
		return writtenValue{"type", found.TypeName()}
	case *apiservercel.Format:
		return writtenValue{found.Type().TypeName(), found.Name}
	case apiservercel.Format:
		return writtenValue{found.Type().TypeName(), found.Name}
	case traits.Lister:
		return writtenList(found)
	case traits.Mapper:
		return writtenMap(found)
	}
	if text, ok := value.Value().(fmt.Stringer); ok {
		return writtenValue{value.Type().TypeName(), text.String()}
	}
	return writtenValue{value.Type().TypeName(), fmt.Sprint(value.Value())}
}

func writtenList(list traits.Lister) writtenValue {
	elements := []writtenValue{}
	for each := list.Iterator(); each.HasNext() == types.True; {
		elements = append(elements, writtenOf(each.Next()))
	}
	return writtenValue{"list", elements}
}

func writtenMap(found traits.Mapper) writtenValue {
	type pair struct {
		text    string
		members []writtenValue
	}
	pairs := []pair{}
	for each := found.Iterator(); each.HasNext() == types.True; {
		key := each.Next()
		written := writtenOf(key)
		text := fmt.Sprintf(`{"t":%q,"v":%q}`, written.Type, fmt.Sprint(written.Value))
		pairs = append(pairs, pair{text, []writtenValue{written, writtenOf(found.Get(key))}})
	}
	sort.Slice(pairs, func(i, j int) bool { return pairs[i].text < pairs[j].text })
	sorted := [][]writtenValue{}
	for _, one := range pairs {
		sorted = append(sorted, one.members)
	}
	return writtenValue{"map", sorted}
}
