module go-http1

go 1.24
