// Package concurrent starts goroutines.
package concurrent

func start(done <-chan int) { // want goroutine
	go func() {}() // want goroutine
	select {       // want goroutine
	case <-done:
	default:
	}
	_ = make(chan int) // want goroutine
}
