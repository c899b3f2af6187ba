// Package calls uses the clock, the terminal and random numbers.
package calls

import (
	"fmt"
	"reflect"
	. "time"
	clock "time"
)

func ask(t Time, v reflect.Value) {
	_ = clock.Now() // want call
	_ = Now()       // want call
	f := clock.Now  // want call
	_ = f
	_ = clock.Since(t)    // want call
	_ = clock.Until(t)    // want call
	clock.Sleep(1)        // want call
	_ = clock.After(1)    // want call
	_ = clock.Tick(1)     // want call
	clock.NewTimer(1)     // want call
	clock.NewTicker(1)    // want call
	_ = t.Local()         // want call
	_ = t.In(clock.Local) // want call
	_ = t.After(t)
	fmt.Println("out") // want call
	fmt.Printf("out")  // want call
	fmt.Print("out")   // want call
	_ = fmt.Sprint("out")
	println("out")   // want call
	_ = v.MapKeys()  // want call
	_ = v.MapRange() // want call
}
