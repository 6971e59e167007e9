// Package servers has the parts that the whole servers of upstream's modules share.
package servers

import (
	"net/url"

	"go.etcd.io/etcd/server/v3/embed"
)

// StartEtcd starts an etcd in this process, and returns the URL of its clients.
func StartEtcd(folder string) (string, error) {
	config := embed.NewConfig()
	config.Dir = folder
	config.LogLevel = "error"
	config.UnsafeNoFsync = true
	local := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	config.ListenClientUrls, config.ListenPeerUrls = []url.URL{local}, []url.URL{local}
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return "", err
	}
	<-etcd.Server.ReadyNotify()
	return "http://" + etcd.Clients[0].Addr().String(), nil
}
