// The fixture of the suite for HTTP/2 servers on net/http, without TLS. It prints the port that it listens on.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"time"
)

const (
	small      = "small\n"
	tick       = "tick\n"
	tickTime   = 5 * time.Millisecond
	largeBytes = 20_000_000
)

var large = func() []byte {
	bytes := make([]byte, largeBytes)
	for i := range bytes {
		bytes[i] = byte(i % 251 * 31 % 251)
	}
	return bytes
}()

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{
		Handler:   http.HandlerFunc(answer),
		Protocols: &protocols,
		ErrorLog:  log.New(io.Discard, "", 0),
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams:          100,
			MaxReadFrameSize:              256 << 10,
			MaxReceiveBufferPerStream:     256 << 10,
			MaxReceiveBufferPerConnection: 25 << 20,
		},
	}
	log.Fatal(server.Serve(listener))
}

func answer(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/small":
		w.Header().Set("Content-Length", strconv.Itoa(len(small)))
		io.WriteString(w, small)
	case "/echo":
		echo(w, r.Body)
	case "/large":
		w.Write(large)
	case "/endless":
		for r.Context().Err() == nil {
			time.Sleep(tickTime)
			io.WriteString(w, tick)
			http.NewResponseController(w).Flush()
		}
	case "/hang":
		<-r.Context().Done()
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func echo(w http.ResponseWriter, body io.Reader) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := body.Read(buffer)
		w.Write(buffer[:n])
		http.NewResponseController(w).Flush()
		if err == io.EOF {
			return
		}
		if err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}
