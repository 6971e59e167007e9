package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/feature"
	flowcontrol "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

// progress is an etcd that tells its progress: consistent lists come from the cache.
type progress struct{ feature.FeatureSupportChecker }

func (progress) Supports(storage.Feature) bool { return true }

func init() {
	feature.DefaultFeatureSupportChecker = progress{feature.DefaultFeatureSupportChecker}
}

// askWork estimates the seats of a request.
func askWork(question json.RawMessage) (any, error) {
	var asked struct {
		Method string `json:"method"`
		URL    string `json:"url"`
		// Count is absent for a resource that the server does not have.
		Count        *int64 `json:"count"`
		AverageBytes int64  `json:"averageBytes"`
		Watchers     int    `json:"watchers"`
		MaxSeats     uint64 `json:"maxSeats"`
	}
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	target, err := url.ParseRequestURI(asked.URL)
	if err != nil {
		return nil, err
	}
	sent := &http.Request{Method: asked.Method, URL: target, RequestURI: asked.URL}
	info, err := requestInfos.NewRequestInfo(sent)
	if err != nil {
		return map[string]string{"error": err.Error()}, nil
	}
	stats := func(string) (storage.Stats, error) {
		if asked.Count == nil {
			return storage.Stats{}, flowcontrol.ObjectCountNotFoundErr
		}
		return storage.Stats{ObjectCount: *asked.Count, EstimatedAverageObjectSizeBytes: asked.AverageBytes}, nil
	}
	watchers := func(*request.RequestInfo) int { return asked.Watchers }
	seats := func(string) uint64 { return asked.MaxSeats }
	estimate := flowcontrol.NewWorkEstimator(stats, watchers, flowcontrol.DefaultWorkEstimatorConfig(), seats)
	work := estimate.EstimateWork(sent.WithContext(request.WithRequestInfo(sent.Context(), info)), "f", "l")
	milliseconds := strconv.FormatFloat(float64(work.AdditionalLatency)/float64(time.Millisecond), 'f', 3, 64)
	return map[string]any{"initialSeats": work.InitialSeats, "finalSeats": work.FinalSeats, "additionalLatency": milliseconds}, nil
}
