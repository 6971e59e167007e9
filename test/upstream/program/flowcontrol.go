package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"sync"
	"time"
	"unsafe"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/testing/eventclock"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	flowrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/component-base/metrics/legacyregistry"
)

//go:linkname digestConfigObjects k8s.io/apiserver/pkg/util/flowcontrol.(*configController).digestConfigObjects
func digestConfigObjects(controller unsafe.Pointer, levels []*flowcontrolv1.PriorityLevelConfiguration, schemas []*flowcontrolv1.FlowSchema) (time.Duration, error)

//go:linkname updateBorrowing k8s.io/apiserver/pkg/util/flowcontrol.(*configController).updateBorrowing
func updateBorrowing(controller unsafe.Pointer)

// flowAction is one of: a configuration, a request that starts or ends, time that passes, an adjustment of limits.
type flowAction struct {
	Configure *struct {
		Levels  []*flowcontrolv1.PriorityLevelConfiguration `json:"levels"`
		Schemas []*flowcontrolv1.FlowSchema                 `json:"schemas"`
	} `json:"configure"`
	Start *struct {
		Info         request.RequestInfo `json:"info"`
		User         user.DefaultInfo    `json:"user"`
		InitialSeats uint64              `json:"initialSeats"`
		FinalSeats   uint64              `json:"finalSeats"`
		// Latency in milliseconds.
		Latency int `json:"latency"`
	} `json:"start"`
	Finish *int `json:"finish"`
	Cancel *int `json:"cancel"`
	// Pass is in milliseconds.
	Pass   int  `json:"pass"`
	Adjust bool `json:"adjust"`
}

// flowState is what can be seen after an action.
type flowState struct {
	// Conditions are the statuses that were written.
	Conditions map[string]json.RawMessage `json:"conditions,omitempty"`
	// Flow is that of a request that started: its flow schema, its level, its distinguisher, its limit of seats.
	Flow []any `json:"flow,omitempty"`
	// Requests have one state each.
	Requests string `json:"requests"`
	// Metrics are values by name and labels.
	Metrics map[string]float64 `json:"metrics"`
	Dumps   []string           `json:"dumps"`
}

type flowRequest struct {
	ended  chan struct{}
	cancel context.CancelFunc
	state  chan byte
	last   byte
}

// flowControl is a controller whose objects, time and requests are given.
type flowControl struct {
	controller flowcontrol.Interface
	pointer    unsafe.Pointer
	clock      *eventclock.Fake
	dumps      *mux.PathRecorderMux
	written    map[string]json.RawMessage
	requests   []*flowRequest
	handled    sync.WaitGroup
}

// askFlowControl runs a series of actions and describes the state after each.
func askFlowControl(question json.RawMessage) (any, error) {
	var asked struct {
		Seats   int          `json:"seats"`
		Actions []flowAction `json:"actions"`
	}
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	metrics.Reset()
	control := newFlowControl(asked.Seats)
	defer control.end()
	states := []flowState{}
	for _, action := range asked.Actions {
		state, err := control.do(action)
		if err != nil {
			return nil, err
		}
		states = append(states, state)
	}
	return states, nil
}

func newFlowControl(seats int) *flowControl {
	metrics.Register()
	clock, _ := eventclock.NewFake(time.Unix(0, 0), 0, nil)
	client := fake.NewClientset()
	control := &flowControl{clock: clock, dumps: mux.NewPathRecorderMux("flowcontrol")}
	client.PrependReactor("patch", "flowschemas", func(action clienttesting.Action) (bool, runtime.Object, error) {
		patch := action.(clienttesting.PatchAction)
		control.written[patch.GetName()] = patch.GetPatch()
		return true, &flowcontrolv1.FlowSchema{}, nil
	})
	control.controller = flowcontrol.NewTestable(flowcontrol.TestableConfig{
		Name:                   "soak",
		Clock:                  clock,
		AsFieldManager:         flowcontrol.ConfigConsumerAsFieldManager,
		FoundToDangling:        func(found bool) bool { return !found },
		InformerFactory:        informers.NewSharedInformerFactory(client, 0),
		FlowcontrolClient:      client.FlowcontrolV1(),
		ServerConcurrencyLimit: seats,
		ReqsGaugeVec:           metrics.PriorityLevelConcurrencyGaugeVec,
		ExecSeatsGaugeVec:      metrics.PriorityLevelExecutionSeatsGaugeVec,
		QueueSetFactory:        queueset.NewQueueSetFactory(clock),
	})
	control.pointer = reflect.ValueOf(control.controller).UnsafePointer()
	control.controller.Install(control.dumps)
	return control
}

func (c *flowControl) do(action flowAction) (flowState, error) {
	state := flowState{}
	c.written = map[string]json.RawMessage{}
	switch {
	case action.Configure != nil:
		if _, err := digestConfigObjects(c.pointer, action.Configure.Levels, action.Configure.Schemas); err != nil {
			return state, err
		}
	case action.Start != nil:
		work := flowrequest.WorkEstimate{
			InitialSeats:      action.Start.InitialSeats,
			FinalSeats:        action.Start.FinalSeats,
			AdditionalLatency: time.Duration(action.Start.Latency) * time.Millisecond,
		}
		state.Flow = c.start(flowcontrol.RequestDigest{RequestInfo: &action.Start.Info, User: &action.Start.User}, work)
	case action.Finish != nil:
		if one := c.request(*action.Finish); one != nil && one.last == 'e' {
			close(one.ended)
			one.last = <-one.state
		}
	case action.Cancel != nil:
		if one := c.request(*action.Cancel); one != nil && one.last == 'w' {
			one.cancel()
			one.last = <-one.state
		}
	case action.Adjust:
		updateBorrowing(c.pointer)
	default:
		if err := c.pass(time.Duration(action.Pass) * time.Millisecond); err != nil {
			return state, err
		}
	}
	if err := c.settle(); err != nil {
		return state, err
	}
	state.Conditions = c.written
	for _, one := range c.requests {
		state.Requests += string(one.last)
	}
	values, err := flowMetrics()
	if err != nil {
		return state, err
	}
	state.Metrics = values
	for _, dump := range []string{"dump_priority_levels", "dump_queues", "dump_requests", "dump_requests?includeRequestDetails=yes"} {
		state.Dumps = append(state.Dumps, sortedLines(c.dump(dump)))
	}
	return state, nil
}

// pass lets each request that gets its seats in the meantime notice it in time.
func (c *flowControl) pass(duration time.Duration) error {
	end := c.clock.Now().Add(duration)
	for {
		next, ok := c.clock.GetNextTime()
		if !ok || next.After(end) {
			c.clock.SetTime(end)
			return nil
		}
		c.clock.SetTime(next)
		if err := c.settle(); err != nil {
			return err
		}
	}
}

func (c *flowControl) request(at int) *flowRequest {
	if at >= len(c.requests) {
		return nil
	}
	return c.requests[at]
}

// start returns the flow of a request when it waits, executes or has been rejected.
func (c *flowControl) start(digest flowcontrol.RequestDigest, work flowrequest.WorkEstimate) []any {
	ctx := request.WithRequestInfo(request.WithUser(context.Background(), digest.User), digest.RequestInfo)
	ctx, cancel := context.WithCancel(ctx)
	one := &flowRequest{ended: make(chan struct{}), cancel: cancel, state: make(chan byte, 8)}
	c.requests = append(c.requests, one)
	var flow []any
	c.handled.Go(func() {
		executed := false
		c.controller.Handle(ctx, digest,
			func(schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration, distinguisher string) {
				flow = []any{schema.Name, level.Name, distinguisher, c.controller.GetMaxSeats(level.Name)}
			},
			func() flowrequest.WorkEstimate { return work },
			func(inQueue bool) {
				if inQueue {
					one.state <- 'w'
				}
			},
			func() {
				executed = true
				one.state <- 'e'
				<-one.ended
			})
		if executed {
			one.state <- 'f'
		} else {
			one.state <- 'r'
		}
	})
	one.last = <-one.state
	return flow
}

// settle waits until each request knows of the decision about it.
func (c *flowControl) settle() error {
	for range 10_000 {
		executing, waiting := 0, 0
		for _, one := range c.requests {
			for len(one.state) > 0 {
				one.last = <-one.state
			}
			switch one.last {
			case 'e':
				executing++
			case 'w':
				waiting++
			}
		}
		if totals := c.totals(); totals == [2]int{waiting, executing} {
			return nil
		}
		time.Sleep(50 * time.Microsecond)
	}
	return errors.New("requests do not settle")
}

// totals are the numbers of waiting and of executing requests.
func (c *flowControl) totals() [2]int {
	totals := [2]int{}
	for _, line := range strings.Split(c.dump("dump_priority_levels"), "\n")[1:] {
		cells := strings.Split(line, ",")
		if len(cells) < 6 {
			continue
		}
		for at := range totals {
			number := 0
			_ = json.Unmarshal([]byte(cells[4+at]), &number)
			totals[at] += number
		}
	}
	return totals
}

func (c *flowControl) dump(path string) string {
	response := httptest.NewRecorder()
	c.dumps.ServeHTTP(response, httptest.NewRequest("GET", "/debug/api_priority_and_fairness/"+path, nil))
	return response.Body.String()
}

// end lets all requests end.
func (c *flowControl) end() {
	for _, one := range c.requests {
		one.cancel()
		select {
		case <-one.ended:
		default:
			close(one.ended)
		}
	}
	c.handled.Wait()
}

// sortedLines has the rows below the head in an order: that of levels is any.
func sortedLines(text string) string {
	lines := strings.SplitAfter(text, "\n")
	sort.Strings(lines[1:])
	return strings.Join(lines, "")
}

// timed metrics depend on real times, the target of an exempt level on the order of a map. Others overflow, are hidden in a
// release, or belong to the filter.
var timed = regexp.MustCompile("(utilization|demand_seats|read_vs_write_current_requests|target_seats|next_discounted_s_bounds|request_concurrency_limit|request_concurrency_in_use|work_estimated_seats|watch_count_samples|seconds)$")

// flowMetrics are the values of counters and gauges, and the counts of histograms, by name and labels.
func flowMetrics() (map[string]float64, error) {
	values := map[string]float64{}
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		return nil, err
	}
	for _, family := range families {
		name, ok := strings.CutPrefix(family.GetName(), "apiserver_flowcontrol_")
		if !ok || timed.MatchString(name) {
			continue
		}
		for _, metric := range family.GetMetric() {
			key := name
			for _, label := range metric.GetLabel() {
				key += " " + label.GetName() + "=" + label.GetValue()
			}
			values[key] = metric.GetGauge().GetValue() + metric.GetCounter().GetValue() + float64(metric.GetHistogram().GetSampleCount())
		}
	}
	return values, nil
}
