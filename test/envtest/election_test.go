package envtest

import (
	"context"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// TestCoordinatedLeaderElection has two candidates of client-go compete for a lease, as the control plane's programs do with
// the gate on: the older version leads, also if it comes later, and the newer one when the older one has died.
func TestCoordinatedLeaderElection(t *testing.T) {
	client := kubernetes.NewForConfigOrDie(electingServer(t))
	led := make(chan string, 3)
	stopNewer := compete(t, client, "newer", "1.36.0", led)
	expectLeader(t, led, "newer")
	stopOlder := compete(t, client, "older", "1.35.0", led)
	expectLeader(t, led, "older")
	stopOlder()
	expectLeader(t, led, "newer")
	stopNewer()
}

// electingServer starts a server with coordinated leader election.
func electingServer(t *testing.T) *rest.Config {
	t.Helper()
	server := &envtest.Environment{}
	arguments := server.ControlPlane.GetAPIServer().Configure()
	arguments.Append("feature-gates", "CoordinatedLeaderElection=true")
	arguments.Append("runtime-config", coordinationv1beta1.SchemeGroupVersion.String()+"=true")
	config, err := server.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return config
}

// compete runs a candidate until the returned function ends it without a release. A holder that is to give up its lease loses
// it, and competes again, as a restarted program.
func compete(t *testing.T, client kubernetes.Interface, name, emulationVersion string, led chan<- string) context.CancelFunc {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	candidate, _, err := leaderelection.NewCandidate(client, "default", name, "work", "1.36.0", emulationVersion, coordinationv1.OldestEmulationVersion)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, "default", "work", client.CoreV1(), client.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: name})
	if err != nil {
		t.Fatal(err)
	}
	go candidate.Run(ctx)
	go func() {
		for ctx.Err() == nil {
			leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
				Lock: lock, Coordinated: true,
				LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(context.Context) { led <- name },
					OnStoppedLeading: func() {},
				},
			})
		}
	}()
	return cancel
}

func expectLeader(t *testing.T, led <-chan string, want string) {
	t.Helper()
	select {
	case got := <-led:
		if got != want {
			t.Fatalf("%s leads, not %s", got, want)
		}
	case <-time.After(time.Minute):
		t.Fatalf("%s does not lead", want)
	}
}
